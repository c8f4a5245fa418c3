"""What comes in: events that are admitted, and how often callers may ask."""
