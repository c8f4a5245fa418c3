"""The copilot: what a client's people ask about their own service."""
