"""Temporal activities: one class per file, kept thin. An activity loads data, calls the domain
layer and stores the result.

Every activity runs at least once. Its docstring states the idempotency key that makes repeated
execution safe.
"""
