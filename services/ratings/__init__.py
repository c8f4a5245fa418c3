"""Use cases of customers' ratings of the answers that they received."""
