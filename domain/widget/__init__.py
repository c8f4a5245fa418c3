"""The chat widget: whose it is, who a visitor is, and what the script is told."""
