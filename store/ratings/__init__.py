"""SQL of customers' ratings."""
