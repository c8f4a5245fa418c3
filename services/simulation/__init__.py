"""Use cases of simulations and replays."""
