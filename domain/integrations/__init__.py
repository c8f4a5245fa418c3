"""A merchant's shop and helpdesk, and the orders in them."""
