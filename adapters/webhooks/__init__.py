"""Requests to merchants' URLs: DNS lookup, connection and HTTP exchange."""

from adapters.webhooks.sender import HttpWebhookSender

__all__ = ["HttpWebhookSender"]
