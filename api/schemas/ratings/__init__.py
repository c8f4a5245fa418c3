"""Ratings, as visitors of the widget send them."""
