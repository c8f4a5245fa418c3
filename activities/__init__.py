"""The Temporal activities: one class per file, kept thin. An activity loads data, calls the domain
and stores the result.

Every activity runs at least once. Its docstring names the idempotency key that makes a repetition
harmless.
"""
