"""Simulations and replays of tests."""
