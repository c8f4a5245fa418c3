"""Consent: the customer's confirmation, which allows the agent to refund or cancel without human
approval."""
