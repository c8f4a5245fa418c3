"""Use cases for integrations: connections to shops and helpdesks, and the mail sender."""
