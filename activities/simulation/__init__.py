"""Activities that run the agent without effects."""
