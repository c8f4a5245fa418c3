"""Use cases of intake: admission of events, and callers' request limits."""
