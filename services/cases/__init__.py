"""What people do with saved cases, and their runs."""
