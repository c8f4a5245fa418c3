"""Ratings sent by visitors of the widget."""
