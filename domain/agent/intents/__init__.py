"""The intents of a message, below the six classes, and the words that no intent explains."""
