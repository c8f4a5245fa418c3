"""Use cases for saved cases and their runs."""
