"""The export of a client's data, and its import."""
