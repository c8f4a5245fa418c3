"""Use cases for operators: import a client's export, or events from the engine's first version."""
