"""Use cases of the dashboard's pages: users' preferences, and input in forms that were not
submitted."""
