"""Emails from a provider's webhook: answered in their thread, and never endlessly."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from email.message import EmailMessage
from typing import Final

from adapters.system import new_ulid
from domain.agent.brain import Category
from domain.core.attached_file import AttachedFile
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import WebhookState
from domain.integrations.providers import Provider
from domain.runs.run import RunStatus
from domain.tenants.client import Role
from store.inbound.tables import inbound_webhooks
from store.intake.tables import attachments
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_runs
from tests.support.agent.acting import ScriptedBrain, connect, think_by
from tests.support.core.engine import LiveEngine, think_with
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.inbound.addresses import opened
from tests.support.inbound.mails import (
    SIGNING_KEY,
    Mail,
    by_mailgun,
    by_postmark,
    by_sendgrid,
    sendgrid_key,
)
from tests.support.intake.attachments import png
from tests.support.reviews.dashboard import person
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop, open_shop, with_sender

PHOTO: Final = AttachedFile("colis.png", "image/png", png())
CAP: Final = 4


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A client's address at an email provider."""

    engine: LiveEngine
    shop: Shop
    path: str

    async def takes(self, request: InboundRequest) -> None:
        answer = await self.engine.http.post(
            self.path, content=request.body, headers=dict(request.headers)
        )
        assert answer.status_code == 200, answer.text

    async def is_quiet(self) -> bool:
        """Return whether every received email was processed, and every run has ended."""
        came = await rows(self.engine.database, inbound_webhooks, of=self.shop)
        runs = await rows(self.engine.database, engine_runs, of=self.shop)
        return all(one["state"] == WebhookState.DONE for one in came) and all(
            run["status"] != RunStatus.RECEIVED for run in runs
        )


async def mailbox_of(
    engine: LiveEngine, shop: Shop, provider: Provider, secret: str | None = None
) -> Mailbox:
    integration_id = await connect(engine, shop, provider, {}, "{}")
    headers = await person(engine, shop, Role.OWNER)
    shown = await opened(engine, headers, integration_id, {"secret": secret} if secret else None)
    path = "/api/webhooks" + str(shown["url"]).partition("/api/webhooks")[2]
    return Mailbox(engine, shop, path)


async def test_a_mail_is_answered_in_its_thread_whoever_hands_it_over(
    acting: LiveEngine, mail: MailServer
) -> None:
    shop = await open_shop(acting.database)
    await with_sender(acting.database, shop)
    think_by(acting, ScriptedBrain(category=Category.OTHER, text="Merci pour la photo."))
    asked = Mail(text="Mon colis est arrivé ouvert.", subject="Re: Colis", files=(PHOTO,))
    by: dict[Provider, tuple[Callable[[Mail], InboundRequest], str | None]] = {
        Provider.POSTMARK: (by_postmark, None),
        Provider.MAILGUN: (by_mailgun, SIGNING_KEY),
        Provider.SENDGRID: (
            lambda one: sendgrid_key().sign(by_sendgrid(one)),
            sendgrid_key().public,
        ),
    }
    async with acting.working():
        for provider, (posted, secret) in by.items():
            box = await mailbox_of(acting, shop, provider, secret)
            request = posted(
                replace(
                    asked,
                    author=f"Ana <ana@{provider}.example>",
                    envelope_from=f"ana@{provider}.example",
                    message_id=f"<m2@{provider}.example>",
                    headers=(("References", f"<m1@{provider}.example>"),),
                )
            )
            await box.takes(request)
            await box.takes(request)
            await eventually(box.is_quiet)

    sent = {str(one["To"]): one for one in mail.mails}
    assert len(mail.mails) == len(by)
    for provider in by:
        answer = sent[f"ana@{provider}.example"]
        assert answer["In-Reply-To"] == f"<m2@{provider}.example>"
        assert answer["References"] == f"<m1@{provider}.example> <m2@{provider}.example>"
        assert answer["Subject"] == "Re: Votre message", "no provider proved the sender"
        assert answer["Auto-Submitted"] == "auto-replied"
    kept = await rows(acting.database, attachments, of=shop)
    assert [(one["name"], one["state"]) for one in kept] == [("colis.png", "stored")] * len(by)
    came = await rows(acting.database, inbound_webhooks, of=shop)
    assert [one["duplicates"] for one in came] == [1] * len(by)


async def test_two_installations_that_mail_each_other_stop(
    acting: LiveEngine, mail: MailServer
) -> None:
    """Their relays remove the headers of automatic emails, and change each email's id and thread.
    Only the count of answers can therefore stop the loop."""
    brain = ScriptedBrain(category=Category.OTHER, text="Bien reçu, que puis-je faire pour vous ?")
    acting.activities = replace(
        acting.activities,
        think=think_with(acting.worker_database, brain, answers_without_person=CAP),
    )
    shops = {f"help@{name}.example": await open_shop(acting.database) for name in ("one", "two")}
    for shop in shops.values():
        await with_sender(acting.database, shop)
    boxes = {
        address: await mailbox_of(acting, shop, Provider.POSTMARK)
        for address, shop in shops.items()
    }

    async def relay(sender: str, recipient: str, text: str) -> None:
        one = Mail(author=sender, to=recipient, text=text, message_id=f"<{new_ulid()}@relay>")
        await boxes[recipient].takes(by_postmark(replace(one, envelope_from=sender)))
        await eventually(boxes[recipient].is_quiet)

    def other(address: str) -> str:
        return next(one for one in shops if one != address)

    def text_of(one: EmailMessage) -> str:
        return str(plain_text(one))

    relayed = 0
    async with acting.working():
        await relay("help@two.example", "help@one.example", "Bonjour, une question.")
        while relayed < len(mail.mails):
            assert relayed < 4 * CAP, "it goes on"
            one = mail.mails[relayed]
            relayed += 1
            await relay(other(str(one["To"])), str(one["To"]), text_of(one))

    assert [str(one["To"]) for one in mail.mails].count("help@two.example") == CAP
    assert len(mail.mails) == 2 * CAP
    first = shops["help@one.example"]
    (review,) = await rows(acting.database, escalation_tickets, of=first)
    assert review["reason"] == "policy_restriction"
    assert await rows(acting.database, escalation_tickets, of=shops["help@two.example"]) == []
