"""Simulation: steps that think and do nothing."""
