"""Detect the intents of a message, and the words that no intent explains."""
