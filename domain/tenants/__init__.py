"""Clients, including their members, API keys and settings."""
