"""Outbound webhooks: events, subscriptions, signatures and deliveries."""
