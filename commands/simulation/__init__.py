"""Commands of simulations and replays."""
