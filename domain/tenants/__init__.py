"""Clients, with their members, keys and settings."""
