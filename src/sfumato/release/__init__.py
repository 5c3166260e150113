"""From a recoding to a published table: its values, its proof, its manifest, its file."""
