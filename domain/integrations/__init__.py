"""Connections to a merchant's shops, helpdesks and mail providers, and their orders."""
