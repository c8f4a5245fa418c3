"""The customer's requests to the agent, parsed clause by clause."""
