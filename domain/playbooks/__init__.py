"""Playbooks: the events that the agent answers, the agent's rules, and the format of playbook
files."""
