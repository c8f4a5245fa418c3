"""The demo: a shop with its own content, and a tour that sends real requests to the shop."""
