"""Use cases of billing: plans, credits, and payments for them."""
