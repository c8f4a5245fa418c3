"""Local substitutes for external services, for `make run`."""
