"""Building blocks shared by all use cases."""
