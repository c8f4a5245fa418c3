"""Storage for the agent: problems with its language models."""
