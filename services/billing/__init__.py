"""Use cases of billing: plans, credits and their payment."""
