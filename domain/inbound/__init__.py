"""The inbound hub: receives, verifies and reads the webhooks of other platforms."""
