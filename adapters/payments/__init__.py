"""The payment provider of the service's own account."""
