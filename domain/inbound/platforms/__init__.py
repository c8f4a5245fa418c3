"""One module for each provider whose webhooks are taken."""
