"""A client's connections to shops, helpdesks and mail providers, and the shops' orders."""
