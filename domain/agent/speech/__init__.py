"""Parse customers' requests to the agent, clause by clause."""
