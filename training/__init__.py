"""Training for the embedded models. The service does not use this package."""
