"""Use cases of reviews: claims, decisions and takeovers."""
