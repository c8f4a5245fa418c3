"""Customers: the people who write to a client, with their orders and refunds."""
