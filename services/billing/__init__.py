"""Plans, credits and their payment."""
