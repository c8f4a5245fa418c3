"""The Temporal workflows, one per file. `options.py` holds every timeout and retry policy.

Before changing a workflow, read docs/workflow-versioning.md.
"""
