"""The review: a run that waits for a human, and the human's possible decisions."""
