"""The copilot's read tools, one subject per file."""
