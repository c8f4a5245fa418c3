"""What simulations and replays take and answer."""
