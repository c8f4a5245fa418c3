"""The copilot: an assistant that answers members' questions about their client's use of the
service."""
