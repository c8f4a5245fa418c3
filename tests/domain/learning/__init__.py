"""Rules of what corrections teach."""
