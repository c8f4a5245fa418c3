"""The content that a merchant gives the agent: templates and knowledge."""
