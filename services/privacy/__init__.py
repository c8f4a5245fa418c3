"""Operators' use cases for stored data: erasure, and re-encryption with another key."""
