"""Grounding: check an answer against its sources."""
