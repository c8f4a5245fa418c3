"""Use cases for reviews: claims, decisions and takeovers."""
