"""Commands for simulations and replays."""
