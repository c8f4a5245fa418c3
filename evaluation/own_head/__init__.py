"""A shop with words of its own, whose decided tickets teach the embedded classifier."""
