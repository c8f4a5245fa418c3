"""The worker processes. Each module runs the worker of one task queue."""
