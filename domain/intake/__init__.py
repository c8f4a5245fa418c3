"""Intake: the event format, mail parsing, order numbers and rate limits."""
