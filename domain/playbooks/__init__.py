"""Playbooks: the events that the agent answers and its rules, and their file format."""
