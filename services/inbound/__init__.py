"""Use cases for inbound webhooks, polls and compliance requests."""
