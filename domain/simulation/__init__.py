"""Simulation: compute the agent's result for a message, without storing it and without effects."""
