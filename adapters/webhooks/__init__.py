"""Requests to merchants' URLs: lookup, dialling and the exchange, one per file."""

from adapters.webhooks.sender import HttpWebhookSender

__all__ = ["HttpWebhookSender"]
