"""The audit log: entries, the chain that their hashes make, and what a broken chain tells."""
