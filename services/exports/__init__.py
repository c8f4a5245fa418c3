"""Use cases for operators' imports: a client's export, and events of the engine's first version."""
