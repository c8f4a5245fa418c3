"""Use cases for webhooks and their deliveries."""
