"""SQL for customer ratings."""
