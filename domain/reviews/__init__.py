"""Reviews. A review is a run that waits for a human's decision."""
