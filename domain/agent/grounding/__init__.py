"""Grounding: checks of an answer against its sources."""
