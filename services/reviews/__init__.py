"""Use cases of reviews: claims, decisions and take-overs."""
