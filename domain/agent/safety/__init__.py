"""Safety: messages that try to command the agent, and matters that always go to a human."""
