"""Playbooks: which events the agent answers, and how they are written to a file."""
