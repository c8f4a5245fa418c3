"""The copilot: it reads what its user may read, and changes nothing."""
