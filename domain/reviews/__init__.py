"""The review: a run that waits for a human, and the decisions that the human can make."""
