"""The agent's decisions: the brain's input, the policy, and checks of the brain's answers."""
