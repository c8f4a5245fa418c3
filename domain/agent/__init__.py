"""Agent decisions: the input of a brain, the policy, and the facts that answers may state."""
