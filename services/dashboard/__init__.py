"""Members' page preferences, and form input that is not yet submitted."""
