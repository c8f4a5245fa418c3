"""The inbound hub: what other platforms' webhooks say, and who sent them."""
