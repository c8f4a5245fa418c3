"""Request and response models of simulations and replays."""
