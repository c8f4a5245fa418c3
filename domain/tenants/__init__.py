"""Clients, their people, keys and settings."""
