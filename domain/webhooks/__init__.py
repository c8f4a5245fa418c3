"""Outbound webhooks: events, clients' webhook endpoints, signatures and deliveries."""
