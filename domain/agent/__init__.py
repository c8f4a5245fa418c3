"""Agent decisions: the brain's input, the policy, and the checks of what an answer may state."""
