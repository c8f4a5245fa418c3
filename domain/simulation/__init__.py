"""Simulation: the agent's result for a message, without storage and without effects."""
