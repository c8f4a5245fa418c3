"""What customers say of the answers that they were given."""
