"""The tour's conversation in the storefront chat, and its expected outcome."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from adapters.system import new_ulid
from demo.back_office import BackOffice
from demo.chat import ChatLine, ChatReply, WidgetChat
from demo.mails import code_to
from demo.orders import DemoNumbers
from demo.transcript import TourTranscript, refusal_of
from domain.webhooks.outbound_event import OutboundEventId

_KNOWLEDGE: Final = "Combien coûte la livraison express ?"
_UNSURE: Final = "Bonjour, est-ce que vous pourriez me rappeler pour en discuter ?"
_REPLY: Final = "Bonjour Zoé, bien sûr : nous vous appelons cet après-midi."
# The expected authors of the messages in the visitor's chat at the end, in order.
_AUTHORS: Final = ("customer", "agent", "customer", "agent", "customer", "human")
_PATIENCE_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class TourVisit:
    """The visit of Zoé, a customer, to the storefront. `mails` is the folder of sent emails,
    including emails to Zoé."""

    chat: WidgetChat
    office: BackOffice
    mails: Path
    numbers: DemoNumbers


@dataclass(slots=True)
class ChatTranscript(TourTranscript):
    """The transcript of the chat."""

    def answered(self, answer: ChatReply, status: str, *expected_events: OutboundEventId) -> None:
        """Record a response from the service, and check its status. `expected_events` are the
        webhooks that the message must trigger."""
        self.said.append((answer.status, answer.response))
        self.expect(f"{status}, not {answer.status}", good=answer.status == status)
        if answer.event_id is not None:
            self.expected_events[answer.event_id] = Counter(expected_events)


async def converse(visit: TourVisit) -> ChatTranscript:
    """Run the chat, and return its transcript.

    The visitor asks about an order, verifies her address, and asks a question that knowledge
    answers and one for a human agent. If the service rejects a request, the chat ends with an error
    in the transcript.
    """
    chat = ChatTranscript()
    try:
        await _take(visit, chat)
    except (httpx.HTTPError, TimeoutError) as error:
        chat.wrong.append(f"an answer, not {refusal_of(error)}")
    return chat


async def _take(visit: TourVisit, chat: ChatTranscript) -> None:
    await visit.chat.begin()
    await _order(visit, chat)
    await _knowledge(visit, chat)
    await _review(visit, chat)
    shown = await visit.chat.messages()
    chat.expect("numbers without a gap", good=_numbers(shown) == list(range(1, len(shown) + 1)))
    chat.expect("each message once", good=tuple(it.author for it in shown) == _AUTHORS)


async def _order(visit: TourVisit, chat: ChatTranscript) -> None:
    question, key = f"Bonjour, où est ma commande {visit.numbers.chatted} ?", new_ulid()
    chat.said.append(("visitor", question))
    chat.answered(await visit.chat.say(question, key), "verification_required")
    chat.expect("no conversation for an unverified question", good=not chat.expected_events)
    await visit.chat.ask_code(visit.numbers.zoe)
    verified = await visit.chat.enter_code(await code_to(visit.numbers.zoe, visit.mails))
    chat.said.append(("code", f"entered from the email to {verified}"))
    chat.expect("the address verified", good=verified == visit.numbers.zoe)
    answer = await visit.chat.say(question, key)
    chat.answered(answer, "completed", "conversation.created", "ticket.resolved")
    chat.expect("the order's tracking", good=visit.numbers.chatted in answer.response)


async def _knowledge(visit: TourVisit, chat: ChatTranscript) -> None:
    chat.said.append(("visitor", _KNOWLEDGE))
    answer = await visit.chat.say(_KNOWLEDGE, new_ulid())
    chat.answered(answer, "completed", "ticket.resolved")
    chat.expect("the price from the shop's knowledge", good="9,90" in answer.response)


async def _review(visit: TourVisit, chat: ChatTranscript) -> None:
    chat.said.append(("visitor", _UNSURE))
    last = max(_numbers(await visit.chat.messages()), default=0)
    async with visit.chat.listening(last) as coming:
        answer = await visit.chat.say(_UNSURE, new_ulid())
        chat.answered(answer, "needs_review", "ticket.escalated", "ticket.resolved")
        for review in await visit.office.waiting():
            if review.customer_email == visit.numbers.zoe:
                chat.said.append(("command", visit.office.reply_line(review, _REPLY)))
                await visit.office.reply(review, _REPLY)
        async with asyncio.timeout(_PATIENCE_S):
            by_people = (message async for message in coming if message.author == "human")
            reply = await anext(by_people, None)
    chat.expect("the reviewer's words", good=reply is not None and reply.text == _REPLY)
    if reply is not None:
        chat.said.append(("open chat", reply.text))
        # Mark the reply as seen. Otherwise the service would also email it.
        await visit.chat.seen(reply.number)


def _numbers(messages: tuple[ChatLine, ...]) -> list[int]:
    return [message.number for message in messages]
