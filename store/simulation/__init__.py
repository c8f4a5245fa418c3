"""SQL for replays, and for the past events that are replayed."""
