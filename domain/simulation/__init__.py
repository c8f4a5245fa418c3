"""Simulation: compute the agent's result for a message. Nothing is stored, and no action is
executed."""
