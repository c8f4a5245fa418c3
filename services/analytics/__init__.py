"""Use cases of analytics: a client's metrics, and the questions that its agent could not answer."""
