"""Whether a message tries to command the agent."""
