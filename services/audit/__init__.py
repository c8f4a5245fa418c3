"""Reading and checking the audit log."""
