"""The way to merchants' URLs: look-up, dialling and the exchange, one a file."""

from adapters.webhooks.sender import HttpWebhookSender

__all__ = ["HttpWebhookSender"]
