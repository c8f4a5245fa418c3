"""Simulation: what the agent would do, thought through and neither stored nor done."""
