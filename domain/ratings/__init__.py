"""Customers' ratings of the answers that they received."""
