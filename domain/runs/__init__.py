"""Runs, conversations and traces. A run is the agent's work on a single event."""
