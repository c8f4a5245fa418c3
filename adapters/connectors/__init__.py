"""Connectors to the services of a merchant's integrations, one service per file."""
