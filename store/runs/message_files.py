"""A subquery for the attachments of an event. It is used by queries that return messages or runs
with their attachments."""

from typing import Final

from domain.intake.attachment import Attachment

_FIELDS: Final = ", ".join(f"'{name}', {name}" for name in Attachment.model_fields)


def attachments_json(client_id: str, event_id: str) -> str:
    """Return the SQL for a JSON array of an event's `Attachment`s, in order. Both arguments are SQL
    expressions for columns."""
    return (
        f"(SELECT coalesce(jsonb_agg(jsonb_build_object({_FIELDS}) ORDER BY position), '[]') "  # noqa: S608 - our own names
        f"FROM attachments WHERE client_id = {client_id} AND event_id = {event_id})"
    )
