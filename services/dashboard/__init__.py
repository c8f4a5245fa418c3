"""What people need of the pages: their preferences, and what they typed and did not send."""
