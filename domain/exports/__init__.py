"""The export of a client's data, and the import of an export."""
