"""The worker processes, one queue per module."""
