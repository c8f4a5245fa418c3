"""Brains: implementations of `domain.agent.brain.Brain`."""
