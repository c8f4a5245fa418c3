"""Use cases of integrations."""
