"""The worker processes. Each module runs the worker for one task queue."""
