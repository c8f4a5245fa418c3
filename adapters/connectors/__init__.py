"""Connectors for the services that a merchant integrates, one service per file."""
