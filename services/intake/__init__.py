"""Use cases for intake: admission of events, and request limits for callers."""
