"""Runs: the agent's work on single events, with conversations and traces."""
