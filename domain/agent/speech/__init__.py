"""What a customer asks the agent to do, read clause by clause."""
