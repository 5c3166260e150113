"""From a request to a verified release: request, policy, presets, and the steps prepare, find, build, check."""
