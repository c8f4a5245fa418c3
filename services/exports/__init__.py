"""What operators bring in: an export, and events of the engine's first version."""
