"""Subqueries that add the attachments of events and replies to queries for messages and runs."""

from typing import Final

from domain.intake.attachment import Attachment

_FIELDS: Final = ", ".join(f"'{name}', {name}" for name in Attachment.model_fields)


def attachments_json(client_id: str, event_id: str) -> str:
    """Return the SQL for a JSON array of the `Attachment`s that the customer sent with an event, in
    order. Both arguments are SQL expressions for columns."""
    return _json(f"client_id = {client_id} AND event_id = {event_id} AND uploaded_by IS NULL")


def reply_attachments_json(client_id: str, reply_id: str) -> str:
    """Return the SQL for a JSON array of the `Attachment`s of a member's reply, in order. Both
    arguments are SQL expressions for columns."""
    return _json(f"client_id = {client_id} AND reply_id = {reply_id}")


def _json(which: str) -> str:
    fields = f"jsonb_build_object({_FIELDS})"
    return (
        f"(SELECT coalesce(jsonb_agg({fields} ORDER BY position, id), '[]') "  # noqa: S608 - our own names
        f"FROM attachments WHERE {which})"
    )
