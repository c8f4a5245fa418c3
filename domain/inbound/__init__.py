"""The inbound hub: receives, verifies and interprets the webhooks of other platforms."""
