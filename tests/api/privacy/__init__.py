"""The pages of data."""
