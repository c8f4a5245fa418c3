"""Threads during an event's processing: which messages belong together, and their notifications."""

import asyncio
import dataclasses
from datetime import timedelta
from typing import Any, Final

import sqlalchemy as sa

from adapters.system import utc_now
from domain.agent.brain import BrainAnswer, BrainRequest
from store.core.database import Database
from store.runs.tables import ai_conversations
from tests.support.agent.acting import ScriptedBrain
from tests.support.core.engine import LiveEngine, think_with
from tests.support.core.rows import rows
from tests.support.servers.mail import MailServer
from tests.support.servers.webhook_receiver import WebhookReceiver
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop, with_sender
from tests.support.webhooks.told import told_events
from tests.support.webhooks.webhook_engine import subscribed

ANN: Final = "ann@shop.example"
BOB: Final = "bob@shop.example"


async def write_mail(engine: LiveEngine, shop: Shop, customer: str, **headers: str) -> None:
    answer = await engine.post(
        shop,
        event_type="email.inbound",
        customer_email=customer,
        message=ORDER_QUESTION,
        headers=headers,
    )
    assert answer.json()["status"] == "completed"


async def turns(database: Database, shop: Shop) -> dict[str, int]:
    """Return the number of stored messages by thread."""
    return {
        row["key"]: len(row["turns"]) for row in await rows(database, ai_conversations, of=shop)
    }


async def created(engine: LiveEngine, shop: Shop) -> int:
    return len(await told_events(engine.database, of=shop, event="conversation.created"))


async def test_each_ticket_of_a_customer_is_a_thread(engine: LiveEngine, shop: Shop) -> None:
    for ticket in ("7", "8", "7"):
        await engine.post(
            shop,
            event_type="zendesk.ticket.created",
            customer_email=ANN,
            customer_verified=True,
            ticket_id=ticket,
            message=ORDER_QUESTION,
        )

    assert await turns(engine.database, shop) == {"ticket:zendesk:7": 4, "ticket:zendesk:8": 2}
    assert await created(engine, shop) == 2


async def test_mails_that_refer_to_one_are_a_thread(engine: LiveEngine, shop: Shop) -> None:
    await write_mail(engine, shop, ANN, **{"Message-ID": "<a@x>"})
    await write_mail(engine, shop, ANN, **{"Message-ID": "<b@x>", "References": "<a@x> <r@y>"})
    await write_mail(engine, shop, ANN, **{"Message-ID": "<c@x>"})

    assert await turns(engine.database, shop) == {f"mail:<a@x>:{ANN}": 4, f"mail:<c@x>:{ANN}": 2}


async def test_the_name_of_our_reply_leads_back(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """Some programs keep only the id of the answered email, and some emails have no id."""
    await write_mail(engine, shop, ANN, **{"Message-ID": "<a@x>"})
    await write_mail(engine, shop, BOB)

    for customer, reply in zip((ANN, BOB), [*mail.mails], strict=True):
        await write_mail(engine, shop, customer, **{"In-Reply-To": str(reply["Message-ID"])})

    assert await turns(engine.database, shop) == {f"mail:<a@x>:{ANN}": 4, f"email:{BOB}": 4}


async def test_nobody_else_gets_in_by_the_name_of_a_mail(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    other = await open_shop(engine.database)
    await with_sender(engine.database, other)
    await write_mail(engine, shop, ANN, **{"Message-ID": "<a@x>"})
    ours = str(mail.mails[0]["Message-ID"])

    await write_mail(engine, shop, BOB, References="<a@x>")
    await write_mail(engine, shop, BOB, **{"In-Reply-To": ours})
    await write_mail(engine, other, ANN, **{"In-Reply-To": ours})

    assert await turns(engine.database, shop) == {
        f"mail:<a@x>:{ANN}": 2, f"mail:<a@x>:{BOB}": 2, f"mail:{ours}:{BOB}": 2
    }  # fmt: skip
    assert await turns(engine.database, other) == {f"mail:{ours}:{ANN}": 2}


async def test_a_reply_leads_into_the_thread_that_came_after_its_own(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """It answers an email from a conversation that has ended."""
    await write_mail(engine, shop, ANN, **{"Message-ID": "<a@x>"})
    ours = str(mail.mails[0]["Message-ID"])
    await _leave_alone(engine, shop)

    for _ in range(2):
        await write_mail(engine, shop, ANN, **{"In-Reply-To": ours})

    old, new = sorted(await rows(engine.database, ai_conversations, of=shop), key=_began)
    assert (old["key"], new["key"]) == (f"mail:<a@x>:{ANN}/{old['id']}", f"mail:<a@x>:{ANN}")
    assert [len(one["turns"]) for one in (old, new)] == [2, 4]


async def test_each_session_of_a_widget_is_a_thread(engine: LiveEngine, shop: Shop) -> None:
    for session in ("s-1", "s-2", "s-1"):
        await engine.post(
            shop, event_type="widget.message", session_id=session, message=ORDER_QUESTION
        )

    assert await turns(engine.database, shop) == {"session:s-1": 4, "session:s-2": 2}


async def test_each_exchange_is_told_of_once(engine: LiveEngine, shop: Shop) -> None:
    for _ in range(2):
        for _ in range(2):
            await engine.post(shop, customer_email=ANN, message=ORDER_QUESTION)
        await _leave_alone(engine, shop)

    assert await created(engine, shop) == 2
    first, second = sorted(await rows(engine.database, ai_conversations, of=shop), key=_began)
    assert (first["ended_at"] is None, second["ended_at"]) == (False, None)
    # The second one contains the first one's outcome.
    assert len(second["summary"].splitlines()) == 4


async def test_an_unknown_visitor_has_no_customers_thread(engine: LiveEngine, shop: Shop) -> None:
    known = {"event_type": "zendesk.ticket.created", "ticket_id": "7", "message": ORDER_QUESTION}
    await engine.post(shop, **known, customer_email=ANN, customer_verified=True)

    await engine.post(shop, **known, customer_email=ANN, customer_verified=False)
    await engine.post(shop, **known, customer_email=ANN)

    assert sorted((await turns(engine.database, shop)).values()) == [2, 4]


class CuriousBrain(ScriptedBrain):
    """Answers once the receiver has been notified of the conversation."""

    def __init__(self, receiver: WebhookReceiver) -> None:
        super().__init__()
        self._receiver = receiver

    async def think(self, request: BrainRequest) -> BrainAnswer:
        await self._receiver.received(1)
        return await super().think(request)


async def test_what_is_told_of_a_conversation_leaves_before_the_agent_begins(
    idle_sender: LiveEngine, shop: Shop, receiver: WebhookReceiver
) -> None:
    await subscribed(idle_sender, shop, receiver)
    idle_sender.activities = dataclasses.replace(
        idle_sender.activities, think=think_with(idle_sender.database, CuriousBrain(receiver))
    )

    async with idle_sender.working(), idle_sender.delivering():
        # Without a webhook, the brain would wait forever.
        async with asyncio.timeout(25):
            await idle_sender.post(shop, customer_email=ANN, message=ORDER_QUESTION)
        requests = await receiver.received(2)

    events = [request.headers["x-service-event"] for request in requests]
    assert events[0] == "conversation.created"
    assert events[1].startswith("ticket.")


def _began(conversation: dict[str, Any]) -> Any:
    return conversation["created_at"]


async def _leave_alone(engine: LiveEngine, shop: Shop) -> None:
    """Move the last message beyond the duration of a thread."""
    async with engine.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(ai_conversations)
            .where(ai_conversations.c.ended_at.is_(None))
            .values(last_message_at=utc_now() - timedelta(hours=73))
        )
