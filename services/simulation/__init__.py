"""Use cases for simulations and replays."""
