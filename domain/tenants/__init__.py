"""Clients, with their members, API keys and settings."""
