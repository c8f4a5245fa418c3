"""Data of the dashboard's pages: the users' preferences, and their unsent form drafts."""
