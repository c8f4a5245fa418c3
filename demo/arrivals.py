"""The tour's inbound webhooks: a shop's webhook changes an answer, and a helpdesk ticket and an
email with a photo are answered on their platforms."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

import httpx
from pydantic import BaseModel

from adapters.system import new_ulid, utc_now
from demo.addresses import GATEWAY
from demo.helpdesk import DemoDesk, DeskComment
from demo.hub import DemoHub
from demo.mails import KeptMail, mails_to
from demo.orders import DemoNumbers
from demo.platforms import (
    PHOTO,
    CustomerMail,
    SentWebhook,
    ShopOrder,
    mail_webhook,
    order_webhook,
    placed,
    ticket_webhook,
)
from demo.transcript import TourTranscript, refusal_of
from domain.core.ids import TenantId
from domain.inbound.inbound_webhook import InboundWebhook, Outcome, WebhookState
from domain.inbound.logged_webhook import verdict
from store.core.database import Database
from store.inbound.log import InboundLogRepository
from store.intake.attachments import AttachmentRepository

T = TypeVar("T")

_EXPRESS: Final = "Combien coûte la livraison express ?"
_PRICE: Final = "9,90"
_PATIENCE_S: Final = 20.0
_LOOK_EVERY_S: Final = 0.1
_LOGGED: Final = 20


class _Answer(BaseModel):
    status: str
    response: str = ""
    event_id: str | None = None


@dataclass(frozen=True, slots=True)
class TourPost:
    """The service's connections to the tour's platforms. `gateway` is an HTTP client with the
    shop's API key, and `outside` is one without a key. `mails` is the folder of sent emails."""

    gateway: httpx.AsyncClient
    outside: httpx.AsyncClient
    database: Database
    tenant: TenantId
    hub: DemoHub
    desk: DemoDesk
    mails: Path
    numbers: DemoNumbers


Part = Callable[[TourPost, TourTranscript], Awaitable[None]]


async def arrivals(post: TourPost) -> list[tuple[str, TourTranscript]]:
    """Send the platforms' webhooks to the shop's inbound addresses. Return the title and transcript
    of each part.

    A part ends with an error in its transcript if the service rejects a request.
    """
    transcripts: list[tuple[str, TourTranscript]] = []
    for title, part in _PARTS:
        one_transcript = TourTranscript()
        transcripts.append((title, one_transcript))
        try:
            await part(post, one_transcript)
        except (httpx.HTTPError, TimeoutError) as error:
            one_transcript.wrong.append(f"an answer, not {refusal_of(error)}")
    return transcripts


async def order_news(post: TourPost, one_transcript: TourTranscript) -> None:
    """Ask for an order's tracking link before and after a webhook changes it, and check the second
    answer.

    The demo shop's file does not contain the order, so it is known only from webhooks.
    """
    now, address = utc_now(), post.hub.shopify
    first, second = (f"https://suivi.example/{post.numbers.reported}-{number}" for number in (1, 2))
    order = ShopOrder(post.numbers.reported, post.numbers.noemie, placed(now), first)
    shipped = order_webhook(address, order, "orders/fulfilled", new_ulid(), now)
    await _send(post, one_transcript, shipped, Outcome.ORDER_UPDATED)
    before = await _ask(post, one_transcript, order)
    one_transcript.expect(
        "the tracking until now", good=_links(before, first, second) == (True, False)
    )
    again = replace(order, tracking_url=second)
    updated = order_webhook(address, again, "orders/updated", new_ulid(), utc_now())
    await _send(post, one_transcript, updated, Outcome.ORDER_UPDATED)
    # Send the same webhook again, like a retry from the platform. The order does not change.
    twice = await _send(post, one_transcript, updated, Outcome.ORDER_UPDATED)
    one_transcript.expect("the second delivery counted as a duplicate", good=twice.duplicates == 1)
    after = await _ask(post, one_transcript, order)
    one_transcript.expect(
        "the webhook's tracking", good=_links(after, first, second) == (False, True)
    )


def _links(answer: _Answer, *links: str) -> tuple[bool, ...]:
    """Return whether the answer contains each link, in the order of `links`."""
    return tuple(link in answer.response for link in links)


async def helpdesk_ticket(post: TourPost, one_transcript: TourTranscript) -> None:
    """Open a ticket in the helpdesk as a customer does, and check that the answer appears in the
    ticket."""
    ticket = post.desk.open(post.numbers.paul, "Livraison express", _EXPRESS)
    one_transcript.said.append((f"ticket {ticket.number}", _EXPRESS))
    webhook = ticket_webhook(post.hub.zendesk, ticket, new_ulid(), utc_now())
    await _send(post, one_transcript, webhook, Outcome.EVENT)
    answers: Sequence[DeskComment] = await _until(lambda: _soon(ticket.answers))
    one_transcript.expected_events[str(ticket.number)] = Counter(
        ("conversation.created", "ticket.resolved")
    )
    one_transcript.said += [("in the ticket", answer.text) for answer in answers]
    one_transcript.expect("one answer in the ticket", good=len(answers) == 1)
    one_transcript.expect("a public one", good=all(answer.is_public for answer in answers))
    one_transcript.expect("the price from the shop's knowledge", good=_PRICE in answers[0].text)


async def mail_with_photo(post: TourPost, one_transcript: TourTranscript) -> None:
    """Deliver a customer's email through a mail provider's webhook, and check that the answer is an
    email in the same thread."""
    mail = CustomerMail(
        sender=post.numbers.rose,
        name="Rose Garnier",
        subject="Livraison express",
        text=f"Bonjour,\n\n{_EXPRESS}\n\nRose",
        message_id=f"{new_ulid().lower()}@mail.example.com",
        sent_at=utc_now(),
    )
    one_transcript.said.append((mail.sender, mail.text))
    arrived = await _send(
        post, one_transcript, mail_webhook(post.hub.postmark, mail), Outcome.EVENT
    )
    answer = await _until(lambda: _mailed(post, mail.sender))
    await _show_files(post, one_transcript, arrived)
    one_transcript.said.append(("mailed", f"In-Reply-To: {answer.in_reply_to}\n\n{answer.text}"))
    one_transcript.expect("the price from the shop's knowledge", good=_PRICE in answer.text)
    one_transcript.expect(
        "the mail's own thread", good=answer.in_reply_to == f"<{mail.message_id}>"
    )


async def _show_files(
    post: TourPost, one_transcript: TourTranscript, arrived: InboundWebhook
) -> None:
    """Add the email's stored attachments to the transcript, with name, type and size in bytes."""
    if arrived.event_id is None:
        return
    one_transcript.expected_events[arrived.event_id] = Counter(
        ("conversation.created", "ticket.resolved")
    )
    async with post.database.reading(post.tenant) as connection:
        files = AttachmentRepository(connection, post.tenant)
        kept = await files.of_event(arrived.event_id)
    one_transcript.said += [
        ("attachment", f"{it.name}, {it.media_type}, {it.size} bytes") for it in kept
    ]
    one_transcript.expect("the photo kept", good=[it.size for it in kept] == [len(PHOTO)])


async def _send(
    post: TourPost, one_transcript: TourTranscript, webhook: SentWebhook, outcome: Outcome
) -> InboundWebhook:
    """Send a webhook as the platform does. Return its log row once it has an outcome."""
    headers = {"Content-Type": "application/json", **webhook.headers}
    answer = await post.outside.post(webhook.address.path, content=webhook.body, headers=headers)
    answer.raise_for_status()
    done = await _until(lambda: _logged(post, webhook))
    one_transcript.said.append((f"{done.provider} {done.topic}", verdict(done)))
    one_transcript.expect(f"{outcome} of {webhook.topic}", good=done.outcome is outcome)
    return done


async def _logged(post: TourPost, webhook: SentWebhook) -> InboundWebhook | None:
    """Return the log row of a delivery, or None until the delivery has been processed."""
    async with post.database.reading(post.tenant) as connection:
        latest = await InboundLogRepository(connection, post.tenant).page(limit=_LOGGED)
    ended = (one for one in latest if one.state in (WebhookState.DONE, WebhookState.FAILED))
    return next((one for one in ended if webhook.delivery in one.dedup_key), None)


async def _ask(post: TourPost, one_transcript: TourTranscript, order: ShopOrder) -> _Answer:
    body = {
        "client_id": post.tenant,
        "event_type": "shopify.ticket.created",
        "source": "shopify",
        "customer_email": order.customer,
        "customer_name": "Noémie Roux",
        "message": f"Bonjour, où en est ma commande n° {order.number} ?",
    }
    one_transcript.said.append((order.customer, body["message"]))
    reply = await post.gateway.post(GATEWAY, json=body)
    reply.raise_for_status()
    answer = _Answer.model_validate_json(reply.content)
    one_transcript.said.append((answer.status, answer.response))
    one_transcript.expect("completed", good=answer.status == "completed")
    if answer.event_id is not None:
        # Only the first question starts a conversation. The second question continues it.
        opens = () if one_transcript.expected_events else ("conversation.created",)
        one_transcript.expected_events[answer.event_id] = Counter((*opens, "ticket.resolved"))
    return answer


async def _mailed(post: TourPost, address: str) -> KeptMail | None:
    found = await asyncio.to_thread(mails_to, {address}, post.mails, 1)
    return found[0] if found else None


async def _soon(found: Sequence[DeskComment]) -> Sequence[DeskComment] | None:
    return found or None


async def _until(look: Callable[[], Awaitable[T | None]]) -> T:
    """Call `look` repeatedly, and return its first result that is not None. Raises TimeoutError
    after _PATIENCE_S."""
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            found = await look()
            if found is not None:
                return found
            await asyncio.sleep(_LOOK_EVERY_S)


_PARTS: Final[tuple[tuple[str, Part], ...]] = (
    ("A signed webhook from the shop changes the next answer about an order", order_news),
    ("A helpdesk ticket, answered in the ticket", helpdesk_ticket),
    ("An email with a photo, answered in its thread", mail_with_photo),
)
