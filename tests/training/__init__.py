"""Training the embedded model."""
