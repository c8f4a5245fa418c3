"""Runs: the agent's work on single events, with their conversations and traces."""
