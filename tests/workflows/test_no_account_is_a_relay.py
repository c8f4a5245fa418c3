"""A free account named like a carrier tries to email strangers: no route reaches them."""

from collections.abc import Awaitable, Callable
from email.message import EmailMessage
from typing import Final

import pytest

from adapters.system import new_ulid
from domain.core import names
from domain.integrations.providers import AUTHSERV_ID, Provider
from domain.reviews.escalation import Decision
from domain.tenants.client import Role
from domain.widget.contracts import LateAnswer, MailAnswerInput
from store.intake.tables import engine_events
from store.runs.tables import engine_runs
from tests.support.agent.acting import connect
from tests.support.content.content import SETTINGS
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.identity.sign_in import Account, mail_to, sign_up
from tests.support.inbound.addresses import opened
from tests.support.inbound.mails import SIGNING_KEY, Mail, by_mailgun, by_postmark
from tests.support.integrations.senders import MAIL_SENDER
from tests.support.reviews.dashboard import person
from tests.support.servers.mail import MailServer
from tests.support.tenants.account import INVITATIONS, KEYS
from tests.support.tenants.mcp_client import told
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop
from tests.support.widget.page import page_of, signed, with_secret

BRAND: Final = "DHL Express Support"
LINK: Final = "https://dhl-parcel.evil.example/pay"
LURE: Final = f"Votre colis est retenu : réglez 1,99 EUR sur {LINK}"


def strangers() -> list[str]:
    return [f"{new_ulid().lower()}@stranger.example" for _ in range(6)]


async def relay(engine: LiveEngine, mail: MailServer) -> Shop:
    """Open the account as any stranger can."""
    account = await sign_up(engine, mail, brand=BRAND)
    made = await engine.http.post(KEYS, json={"label": "relay"}, headers=account.headers)
    assert made.status_code == 201, made.text
    value = made.json()["key_value"]
    mail.mails.clear()
    return Shop(account.client_id, account.user_id, value, "", "")


async def edited(engine: LiveEngine, event_id: str) -> str:
    """Replace the draft with the phishing text as a member of the account. Returns the run's
    status."""
    run = await only_row(engine.database, engine_runs, event_id=event_id)
    review = await engine.review_of(run["id"], round_=0)
    await engine.decide(review["id"], Decision.EDIT, LURE)
    handle = engine.client.get_workflow_handle(names.process_event_id(run["client_id"], event_id))
    await handle.result()
    done = await only_row(engine.database, engine_runs, event_id=event_id)
    return str(done["status"])


async def by_the_gateway(engine: LiveEngine, shop: Shop, victims: list[str]) -> None:
    for victim in victims:
        answer = await engine.post(
            shop,
            event_type="email.inbound",
            customer_email=victim,
            customer_verified=True,
            message=UNSURE_MESSAGE,
            headers={"From": victim, "Message-ID": f"<{new_ulid()}@stranger.example>"},
        )
        assert await edited(engine, answer.json()["event_id"]) == "failed"


async def by_mcp(engine: LiveEngine, shop: Shop, victims: list[str]) -> None:
    for victim in victims:
        given = {"message": UNSURE_MESSAGE, "customer_email": victim}
        sent = await told(engine, shop, "push_event", event_type="email.inbound", **given)
        assert await edited(engine, sent["event_id"]) == "failed"


async def by_forged_mail(engine: LiveEngine, shop: Shop, victims: list[str]) -> None:
    """Post forged emails: the account has its mail provider's secrets."""
    settings, headers = {AUTHSERV_ID: "mx.evil.example"}, await person(engine, shop, Role.OWNER)
    by = (
        (Provider.POSTMARK, by_postmark, None, victims[:3]),
        (Provider.MAILGUN, by_mailgun, SIGNING_KEY, victims[3:]),
    )
    for provider, posted, secret, theirs in by:
        integration = await connect(engine, shop, provider, settings, "{}")
        shown = await opened(engine, headers, integration, {"secret": secret} if secret else None)
        path = "/api/webhooks" + str(shown["url"]).partition("/api/webhooks")[2]
        for victim in theirs:
            found = f"mx.evil.example; dmarc=pass header.from={victim}"
            forged = Mail(
                author=victim,
                text=UNSURE_MESSAGE,
                headers=(("Authentication-Results", found),),
                envelope_from=victim,
                message_id=f"<{new_ulid()}@stranger.example>",
            )
            request = posted(forged)
            taken = await engine.http.post(
                path, content=request.body, headers=dict(request.headers)
            )
            assert taken.status_code == 200, taken.text

            async def arrived(address: str = victim) -> str | None:
                came = await rows(engine.database, engine_events, of=shop)
                read = {(one["unified"] or {}).get("customer_email"): one["id"] for one in came}
                return read.get(address)

            event_id = await eventually(arrived)
            event = await only_row(engine.database, engine_events, id=event_id)
            assert event["unified"]["sender_authenticated"], "the forgery is believed"
            assert await edited(engine, event_id) == "failed"


async def by_the_widget(engine: LiveEngine, shop: Shop, victims: list[str]) -> None:
    """The account signs arbitrary users, and answers the review late."""
    page = await page_of(engine, shop)
    secret = await with_secret(page)
    for victim in victims:
        asked = await page.say(UNSURE_MESSAGE, **signed(secret, victim))
        assert await edited(engine, asked["event_id"]) == "completed"
        late = LateAnswer(session_id=page.session(asked["session_id"]), number=2)
        mailing = names.mail_answer_id(shop.client_id, late.session_id, late.number)
        await engine.client.get_workflow_handle(mailing).terminate()
        await engine.client.execute_workflow(
            names.MAIL_ANSWER,
            MailAnswerInput(client_id=shop.client_id, answer=late, wait_s=0),
            id=f"{mailing}/{new_ulid()}",
            task_queue=names.ENGINE_QUEUE,
        )


Way = Callable[[LiveEngine, Shop, list[str]], Awaitable[None]]


@pytest.mark.parametrize("way", [by_the_gateway, by_mcp, by_forged_mail, by_the_widget])
async def test_strangers_get_no_mail(engine: LiveEngine, mail: MailServer, way: Way) -> None:
    shop = await relay(engine, mail)

    await way(engine, shop, strangers())

    assert [str(one["To"]) for one in mail.mails] == []
    if way is not by_the_widget:
        runs = await rows(engine.database, engine_runs, of=shop)
        assert [run["steps"][0]["detail"] for run in runs] == ["mail_recipient_unproved"] * 6


async def test_an_invitation_has_no_word_of_the_account(
    engine: LiveEngine, mail: MailServer
) -> None:
    """It is a service email, which names the inviting member's verified address."""
    account = await sign_up(engine, mail, brand=f"{BRAND} {LINK}")
    for victim in strangers():
        invited = await engine.http.post(
            INVITATIONS, json={"email": victim, "role": "viewer"}, headers=account.headers
        )
        assert invited.status_code in (201, 429), invited.text
        if invited.status_code == 201:
            sent = await mail_to(mail, victim)
            whole = f"{sent['From']} {sent['Subject']} {plain_text(sent)}"
            assert "DHL" not in whole
            assert "evil.example" not in whole
            assert account.email in plain_text(sent)


async def codes_for_a_sender(engine: LiveEngine, account: Account, victims: list[str]) -> None:
    """The account claims each stranger's address as its sender."""
    for victim in victims:
        wanted = {"address": victim, "reply_to": victim, "signature": LURE}
        put = await engine.http.put(MAIL_SENDER, json=wanted, headers=account.headers)
        assert put.status_code in (200, 409), put.text


async def codes_for_visitors(engine: LiveEngine, account: Account, victims: list[str]) -> None:
    """The account enters each stranger's address into its own widget."""
    page = await page_of(engine, Shop(account.client_id, account.user_id, "", "", ""))
    for victim in victims:
        asked = {"session_id": await page.fresh_token(), "customer_email": victim}
        answer = await engine.http.post(
            "/api/widget/email", params=page.params, headers=page.headers, json=asked
        )
        assert answer.status_code == 202, answer.text


@pytest.mark.parametrize("way", [codes_for_a_sender, codes_for_visitors])
async def test_no_code_has_a_word_of_the_account(
    engine: LiveEngine,
    mail: MailServer,
    way: Callable[[LiveEngine, Account, list[str]], Awaitable[None]],
) -> None:
    """Emails to strangers have a fixed text from the service, and their number is limited."""
    account = await sign_up(engine, mail, brand=f"{BRAND} {LINK}")
    display = {"branding": {"display_name": BRAND}}
    named = await engine.http.patch(SETTINGS, json=display, headers=account.headers)
    assert named.status_code == 200, named.text
    victims = strangers()

    await way(engine, account, victims)

    async def to_strangers() -> list[EmailMessage] | None:
        """Return the emails to strangers. A later sender code replaces one that is not emailed
        yet."""
        return [one for one in mail.mails if str(one["To"]) in victims] or None

    for one in await eventually(to_strangers):
        whole = f"{one['From']} {one['Subject']} {one['Reply-To']} {plain_text(one)}"
        assert "DHL" not in whole
        assert "evil.example" not in whole
        assert "http" not in whole
