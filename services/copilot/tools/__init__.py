"""What the copilot may read, one noun a file."""
