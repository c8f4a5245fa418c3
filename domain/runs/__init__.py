"""The run: the agent's work on one event, its conversation and its trace."""
