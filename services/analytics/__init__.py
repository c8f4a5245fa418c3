"""Use cases of insight: a client's metrics and its open questions."""
