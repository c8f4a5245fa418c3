"""What people and their clients do to be let in."""
