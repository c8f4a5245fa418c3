"""Request and response models for simulations and replays."""
