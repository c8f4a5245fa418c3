"""Use cases of replays."""
