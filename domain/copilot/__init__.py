"""The copilot: answers members' questions about their own service."""
