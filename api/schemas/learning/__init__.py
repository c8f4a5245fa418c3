"""Corrections and labelled examples, as the dashboard asks of them."""
