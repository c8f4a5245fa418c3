"""The payment provider, which charges merchants for the service."""
