"""What people do with a review: claim it, and decide it."""
