"""The dashboard: users' page preferences, and drafts of forms that were not submitted."""
