"""Routes for simulations and replays."""
