"""What a merchant lets the agent say: templates and knowledge."""
