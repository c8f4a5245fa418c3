"""The demo: a shop with its own content, and a tour of real requests through it."""
