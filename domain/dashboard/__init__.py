"""The dashboard: users' page preferences, and form input that was not submitted successfully."""
