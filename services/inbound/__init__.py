"""Use cases of the inbound hub."""
