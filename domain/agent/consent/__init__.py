"""Consent: the customer's confirmation, which lets the agent move money without a person."""
