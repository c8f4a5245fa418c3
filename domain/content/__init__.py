"""The content that a merchant provides to the agent: templates and knowledge."""
