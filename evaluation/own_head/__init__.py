"""Measure how much a client's own classifier head improves accuracy on an invented shop's
tickets."""
