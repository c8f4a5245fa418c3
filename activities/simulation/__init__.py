"""Simulation: steps that think and have no effects."""
