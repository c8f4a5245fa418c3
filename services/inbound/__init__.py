"""Use cases of inbound webhooks, polls and compliance requests."""
