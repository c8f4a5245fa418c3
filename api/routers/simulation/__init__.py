"""Routes of simulations and replays."""
