"""From a request to a verified release: request, policy, presets, and the steps read, prepare, find, build, check."""
