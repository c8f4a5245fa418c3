"""The orchestration. One workflow a file; `options.py` holds every timeout and retry policy.

Before changing one, read docs/workflow-versioning.md.
"""
