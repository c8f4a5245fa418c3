"""Use cases with which operators import a client's export, or events of the engine's first
version."""
