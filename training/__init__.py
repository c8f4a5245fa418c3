"""Training of the embedded model; nothing here runs in the service."""
