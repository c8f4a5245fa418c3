"""Saved cases: messages with their expected outcome, and the publish gate for playbooks."""
