"""Use cases of webhooks and their deliveries."""
