"""SQL for customers' ratings."""
