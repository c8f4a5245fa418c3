"""Users' page preferences, and form input that has not been sent yet."""
