"""Use cases for dashboard pages: user preferences and form drafts."""
