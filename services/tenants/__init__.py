"""Use cases for clients, their members, keys and settings."""
