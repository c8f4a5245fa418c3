"""Outbound webhooks: events, webhook endpoints of clients, signatures and deliveries."""
