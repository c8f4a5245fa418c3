"""The steps of a run. One class per file, kept thin: load, call the domain, store.

Every activity runs at least once. Its docstring names the idempotency key that makes a repetition
harmless.
"""
