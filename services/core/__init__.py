"""Building blocks that all use cases share: units of work, fair queues, budgets."""
