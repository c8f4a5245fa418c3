"""The copilot: a client's members ask it about their own service."""
