"""Reviews. A review is a run that is pending a human decision."""
