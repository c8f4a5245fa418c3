"""Decisions of the agent: the brain's input, the policy, and the checks of answers."""
