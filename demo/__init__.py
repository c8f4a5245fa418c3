"""The demo: a shop with content of its own, and a tour of real requests through it."""
