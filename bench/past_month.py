"""A month of 10,000 answered events, as the input of a replay.

The rows are inserted directly because the gateway would take half an hour. Conversations have four
messages, so most events have earlier ones.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid
from demo.orders import DemoNumbers
from demo.tickets import sample_tickets
from domain.core.ids import TenantId
from domain.intake.event import InboundEvent
from domain.intake.normalization import normalize
from store.intake.tables import engine_events
from store.playbooks.playbooks import PlaybookRepository
from store.runs.tables import ai_conversations, engine_messages, engine_runs

EVENTS: Final = 10_000
_OF_CONVERSATION: Final = 4
_SPAN: Final = timedelta(days=28)
_AT_ONCE: Final = 1_000

_MORE: Final = (
    "Bonjour, je n'ai toujours pas reçu mon colis, commandé il y a dix jours. Que se passe-t-il ?",
    "Hello, do you ship to Belgium, and how much is it? I would like two sets of sheets.",
    "La couture de la housse s'est défaite au premier lavage, je suis très déçue.",
    "Quelle taille de drap-housse faut-il pour un matelas de 160 x 200 et 30 cm d'épaisseur ?",
    "Merci beaucoup pour votre aide, bonne journée !",
    "I want to return the duvet cover, it is not the colour that I saw on your site.",
    "Vous m'avez débitée deux fois, merci de vérifier rapidement.",
    "Pouvez-vous changer l'adresse de livraison ? J'ai déménagé la semaine dernière.",
)


async def fill_month(connection: AsyncConnection, tenant: TenantId, now: datetime) -> None:
    """Store the client's events of the last four weeks."""
    (playbook, *_) = await PlaybookRepository(connection, tenant).active()
    said = _messages()
    step = _SPAN / EVENTS
    for first in range(0, EVENTS, _AT_ONCE):
        rows = [
            _rows(said[n % len(said)], n, now - _SPAN + n * step)
            for n in range(first, first + _AT_ONCE)
        ]
        talks = {talk["id"]: talk for _, _, talk, _ in rows}
        for table, values in (
            (engine_events, [event for event, *_ in rows]),
            (engine_runs, [run for _, run, *_ in rows]),
            (ai_conversations, list(talks.values())),
            (engine_messages, [message for *_, messages in rows for message in messages]),
        ):
            run = {"playbook_id": playbook.id, "playbook_version": playbook.version}
            own = run if table is engine_runs else {}
            await connection.execute(
                sa.insert(table), [{**value, **own, "client_id": tenant} for value in values]
            )


def _messages() -> Sequence[InboundEvent]:
    sent = [ticket.body for ticket in sample_tickets(DemoNumbers(1))]
    known = [
        InboundEvent(
            event_type=str(body["event_type"]),
            source=str(body.get("source", "shopify")),
            customer_email=str(body.get("customer_email", "camille@example.com")),
            message=str(body["message"]),
        )
        for body in sent
        if "message" in body and "event_type" in body
    ]
    more = [
        InboundEvent(
            event_type="shopify.ticket.created", customer_email="lea@example.com", message=text
        )
        for text in _MORE
    ]
    return [*known, *more]


_Row = dict[str, object]


def _rows(sent: InboundEvent, number: int, at: datetime) -> tuple[_Row, _Row, _Row, list[_Row]]:
    """Return the rows for an event, its run, its conversation and its two messages."""
    event_id, run_id = new_ulid(), new_ulid()
    unified = normalize(sent, fallback_ticket_id=event_id)
    talk_id = f"talk-{number // _OF_CONVERSATION:06}"
    event: _Row = {
        "id": event_id,
        "event_type": sent.event_type,
        "source": sent.source,
        "customer_email": sent.customer_email,
        "message": sent.message,
        "text": unified.text,
        "unified": unified.model_dump(mode="json", exclude={"subject", "text"}),
        "outcome": "run",
        "received_at": at,
    }
    run: _Row = {
        "id": run_id,
        "event_id": event_id,
        "status": "completed",
        "classification": "other",
        "confidence": 0.9,
        "draft": "Bonjour.",
        "response": "Bonjour.",
        "answer": {"status": "completed"},
        "plan": [{"kind": "reply"}],
        "thread_after": {},
        "received_at": at,
        "answered_at": at,
        "finished_at": at,
    }
    talk: _Row = {
        "id": talk_id,
        "key": f"session:{talk_id}",
        "channel": unified.channel,
        "summary": "",
        "created_at": at,
        "last_message_at": at,
    }
    message: _Row = {"event_id": event_id, "conversation_id": talk_id, "channel": unified.channel}
    messages: list[_Row] = [
        {
            **message,
            "id": new_ulid(),
            "direction": direction,
            "author": author,
            "body": body,
            "created_at": at + timedelta(seconds=after),
        }
        for direction, author, body, after in (
            ("inbound", "customer", unified.text, 0),
            ("outbound", "agent", "Bonjour.", 1),
        )
    ]
    return event, run, talk, messages
