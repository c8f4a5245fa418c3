"""Reading and verifying the audit log."""
