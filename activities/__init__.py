"""Temporal activities: one class per file, kept thin. An activity loads data, calls the domain
layer and stores the result.

Activities run at least once. Each docstring states the idempotency key.
"""
