"""Use cases of imports by operators: a client's export, and events of the engine's first
version."""
