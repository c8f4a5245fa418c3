"""Use cases for the dashboard's pages: user preferences, and input in forms that were not
submitted."""
