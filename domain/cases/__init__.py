"""Saved cases: messages with their expected outcome. The publish gate blocks a playbook until the
playbook's cases pass."""
