"""The review: a run that waits for a human, and what the human may decide."""
