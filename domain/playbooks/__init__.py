"""Playbooks: the events that the agent answers, the agent's rules, and the playbook file format."""
