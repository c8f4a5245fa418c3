"""Consent: what entitles the agent to move money without a person."""
