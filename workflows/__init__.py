"""Temporal workflows, one per file. `options.py` defines every timeout and retry policy.

Before changing a workflow, read docs/workflow-versioning.md.
"""
