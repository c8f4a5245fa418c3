"""Operators' use cases for stored data: erasure, and re-encryption with a new key."""
