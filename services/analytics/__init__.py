"""Use cases of analytics: a client's metrics and its open questions."""
