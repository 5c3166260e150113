"""From a recoding to a published table: its values, verification, manifest, report and file."""
