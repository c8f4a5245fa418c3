"""The other ends of a merchant's integrations: one service a file."""
