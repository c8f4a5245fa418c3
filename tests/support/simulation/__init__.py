"""Simulations and replays for tests."""
