"""Simulation: steps that run the agent without effects."""
