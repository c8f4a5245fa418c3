"""Saved cases: messages with their expected outcome, and the publish gate that runs them for
playbooks."""
