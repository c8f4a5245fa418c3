"""Read and verify the audit log."""
