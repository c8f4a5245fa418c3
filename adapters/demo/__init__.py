"""Stand-ins for external services that `make run` can act on."""
