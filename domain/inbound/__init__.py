"""Inbound webhooks: receive, verify and interpret the webhooks of other platforms."""
