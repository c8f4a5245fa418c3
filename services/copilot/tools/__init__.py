"""The copilot's read tools. Each file covers one subject."""
