"""Inbound webhooks: receives, verifies and interprets the webhooks of other platforms."""
