"""SQL of replays, and of the past events that are replayed."""
