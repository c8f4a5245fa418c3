"""The agent's decisions: the brain's input, the policy, and the checks of its answers."""
