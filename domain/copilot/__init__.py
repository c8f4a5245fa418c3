"""The copilot: an assistant that answers members' questions about how their client uses the
service."""
