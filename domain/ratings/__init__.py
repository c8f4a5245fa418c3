"""Customers' ratings of the answers they received."""
