"""SQL for the dashboard's pages: users' preferences, and drafts of forms that were not
submitted."""
