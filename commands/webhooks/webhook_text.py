"""Format webhooks and deliveries as text for operators."""

from rich.markup import escape
from rich.table import Table

from commands.core.listing import facts_table
from domain.core.plain_text import without_controls
from domain.webhooks.delivery import Delivery, DeliveryStatus, DeliverySummary, Trigger
from domain.webhooks.explanation import Explanation
from domain.webhooks.webhook import COUNTED_MISSES, Webhook


def listed(webhook: Webhook) -> tuple[str, ...]:
    """Return the cells of one webhook for a list."""
    return webhook.id, webhook.label, webhook.url, ", ".join(webhook.events), _state(webhook)


def webhook_text(webhook: Webhook) -> Table:
    """Return a table of a webhook's properties for the terminal. It does not contain the secret."""
    table = facts_table()
    table.add_row("webhook", webhook.id)
    table.add_row("label", escape(webhook.label))
    table.add_row("url", escape(webhook.url))
    table.add_row("events", escape(", ".join(webhook.events)))
    table.add_row("state", _state(webhook))
    table.add_row("retries", webhook.retry_policy.value)
    table.add_row("per ticket", "first event of each type" if webhook.once_per_ticket else "all")
    table.add_row("missed", _missed(webhook.missed))
    if webhook.previous_secret_until is not None:
        table.add_row("old secret until", f"{webhook.previous_secret_until:%Y-%m-%d %H:%M} UTC")
    table.add_row("created", f"{webhook.created_at:%Y-%m-%d %H:%M} UTC")
    return table


def delivery_cells(delivery: DeliverySummary) -> tuple[str, ...]:
    """Return the cells of one delivery for a list."""
    why = "" if delivery.trigger is Trigger.EVENT else f", {delivery.trigger.value}"
    made = f"{delivery.created_at:%m-%d %H:%M:%S}"
    return delivery.id, made, delivery.event + why, outcome(delivery)


def outcome(delivery: DeliverySummary) -> str:
    """Return a short description of a delivery's outcome."""
    if delivery.status is DeliveryStatus.PENDING and not delivery.attempt:
        return "not sent yet (is a webhook worker running?)"
    parts: list[str] = [delivery.status.value]
    if delivery.failure_kind is not None:
        parts.append(delivery.failure_kind.value)
    if delivery.response_status is not None:
        parts.append(f"HTTP {delivery.response_status}")
    if delivery.duration_ms is not None:
        parts.append(f"{delivery.duration_ms} ms")
    if delivery.next_attempt_at is not None:
        parts.append(f"next attempt {delivery.next_attempt_at:%m-%d %H:%M:%S}")
    said = ", ".join(parts)
    return f"{said}: {delivery.error}" if delivery.error else said


def delivery_text(delivery: Delivery) -> Table:
    """Return a table with all stored details of a delivery."""
    table = facts_table()
    table.add_row("delivery", delivery.id)
    table.add_row("webhook", delivery.webhook_id)
    table.add_row("event", f"{delivery.event} {delivery.event_id}")
    table.add_row("because of", " ".join(filter(None, (delivery.trigger, delivery.replay_of))))
    table.add_row("url", escape(delivery.url))
    table.add_row("outcome", escape(outcome(delivery)))
    table.add_row("tries", str(delivery.attempt))
    if delivery.sent_at is not None:
        table.add_row("sent", f"{delivery.sent_at:%Y-%m-%d %H:%M:%S} UTC")
        table.add_row("address", delivery.remote_ip or "none reached")
        table.add_row("times", _times(delivery))
    if delivery.failure_count_after is not None:
        disabled = ", which disabled the webhook" if delivery.disabled_webhook else ""
        table.add_row("failures in a row", f"{delivery.failure_count_after}{disabled}")
    for name, value in delivery.request_headers.items():
        table.add_row("sent header", escape(f"{name}: {value}"))
    # The headers are untrusted. Their control characters must not reach the terminal.
    table.add_row("sent body", escape(without_controls(delivery.request_body)))
    if delivery.response_body is not None:
        table.add_row("answer", escape(without_controls(delivery.response_body)) or "empty")
    return table


def explanation_text(found: Explanation) -> Table:
    """Return an explanation of why a signature does not match."""
    table = facts_table()
    table.add_row("verdict", found.verdict.value)
    table.add_row("", found.sentence)
    if found.secret is not None:
        table.add_row("secret", f"{found.secret.value}, ends in {found.secret_ends}")
        table.add_row("of webhook", found.secret_webhook_id or "")
    if found.age_s is not None:
        table.add_row("age", f"{found.age_s} s")
    if found.delivery_id is not None:
        table.add_row("delivery", found.delivery_id)
    if found.difference is not None:
        table.add_row("differs at byte", str(found.difference.at))
        table.add_row("sent there", escape(repr(found.difference.sent)))
        table.add_row("pasted there", escape(repr(found.difference.pasted)))
    return table


def _missed(count: int) -> str:
    if count >= COUNTED_MISSES:
        return f"{count} or more events that can be replayed"
    return f"{count} {'event' if count == 1 else 'events'} that can be replayed"


def _state(webhook: Webhook) -> str:
    parts = ["active"] if webhook.is_active else [f"disabled: {webhook.disabled_reason}"]
    if webhook.failure_count:
        parts.append(f"{webhook.failure_count} failures in a row")
    return ", ".join(parts)


def _times(delivery: Delivery) -> str:
    """Return the milliseconds from the delivery's start to each phase that it reached."""
    reached = {
        "name": delivery.dns_ms,
        "connection": delivery.connect_ms,
        "first byte": delivery.first_byte_ms,
        "end": delivery.duration_ms,
    }
    return ", ".join(f"{name} {at} ms" for name, at in reached.items() if at is not None)
