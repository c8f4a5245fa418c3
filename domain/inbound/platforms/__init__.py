"""Webhook platforms: one module for each supported provider."""
