"""Analytics use cases: a client's metrics, and the questions that its agent could not answer."""
