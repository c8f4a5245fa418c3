"""Billing use cases: plans, credits, and the payments for them."""
