"""Saved cases: messages with their expected outcome. The publish gate lets a playbook go live only
if the playbook's cases pass."""
