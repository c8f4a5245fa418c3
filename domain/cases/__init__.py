"""Saved cases: messages with what must come of them, and the gate that a playbook passes."""
