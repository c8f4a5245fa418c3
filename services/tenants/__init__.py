"""Use cases of clients, their members, keys and settings."""
