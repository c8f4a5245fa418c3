"""Adapters to external systems, and to the machine's clock and id generator."""
