"""Adapters for external systems, and for the machine's clock and id generator."""
