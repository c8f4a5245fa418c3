"""Operators' use cases for stored data: erase it, and seal it with another key."""
