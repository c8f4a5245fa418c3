"""Implementations of `domain.agent.brain.Brain`, which drafts the answer to a customer's
message."""
