"""Consent: the customer's confirmation, which lets the agent refund or cancel without human
approval."""
