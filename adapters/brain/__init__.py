"""Brains: implementations of `domain.brain.Brain`."""
