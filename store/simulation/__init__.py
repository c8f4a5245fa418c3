"""SQL of replays, and of the past events that they process again."""
