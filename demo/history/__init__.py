"""Thirty days of history for the demo shop: conversations, reviews, refunds and ratings."""
