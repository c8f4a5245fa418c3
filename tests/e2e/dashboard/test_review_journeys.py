"""Reviewers' journeys: two approvals, an edit, expiry, a reply with a file, a takeover."""

from datetime import timedelta
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

from domain.agent.plan import ActionKind, PlannedAction
from domain.tenants.client import Role
from store.intake.tables import attachments
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, conversation_replies, engine_messages
from tests.e2e.dashboard.conftest import Served
from tests.support.agent.acting import ASKED, acting_shop, order, promising, rules
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.dashboard.chromium import Seat, seated
from tests.support.identity.sign_in import code_in, mail_to
from tests.support.intake.attachments import PHOTO
from tests.support.reviews.replies import WORDS, conversation_of
from tests.support.reviews.reviews import open_review, refund
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, open_shop, with_sender

pytestmark = pytest.mark.slow

SCRIPTS = [True, False]
REPLY = PlannedAction(kind=ActionKind.REPLY)


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_a_refund_is_approved_by_two_people_and_paid_once(
    browser: Browser, outward: Served, tmp_path: Path, scripts: bool
) -> None:
    """The second approver clicks twice."""
    engine = outward.engine
    it = await acting_shop(engine, tmp_path, [order("2001", 32_000)], rules())
    await promising(engine, it.shop)
    asked = (await engine.post(it.shop, **ASKED)).json()
    assert asked["status"] == "needs_review"
    review = await only_row(engine.database, escalation_tickets, of=it.shop)
    at = f"/app/reviews/{review['id']}"
    colleague = await outward.colleague(it.shop, Role.AGENT)
    async with (
        seated(browser, outward.url, await outward.session(it.shop), scripts=scripts) as first,
        seated(browser, outward.url, colleague, scripts=scripts) as second,
    ):
        await first.open(at)
        await first.press("Approve (1 of 2) and refund €320.00 on order 2001")
        await first.open(at)
        assert "Waiting for a second approval" in await first.text()
        await expect(first.page.locator(f'form[action="{at}/approve"]')).to_have_count(0)
        waiting = await only_row(engine.database, escalation_tickets, of=it.shop)
        assert (waiting["status"], it.refunded) == ("pending", 0)

        await second.open(at)
        assert "1 of 2 approvals" in await second.text()
        button = second.page.get_by_role("button", name="Approve and refund €320.00")
        await button.dblclick(no_wait_after=True)
        facts = await engine.run_of(it.shop, asked["event_id"]).result()
        await second.open(at)
        await expect(second.page.locator(".badge.ok").first).to_contain_text("Approved")
        assert first.complaints + second.complaints == []

    assert facts["status"] == "completed"
    assert [movement.amount.minor for movement in it.movements] == [32_000]
    ledger = await rows(engine.database, action_ledger, of=it.shop, action="refund")
    assert [(row["state"], row["amount"]) for row in ledger] == [("done", 32_000)]


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_the_second_approver_sees_the_edit_of_the_first(
    browser: Browser, served: Served, scripts: bool
) -> None:
    """A page that was opened before the edit approves nothing."""
    database = served.engine.database
    shop, secret = await served.owner()
    review_id = await open_review(database, shop, plan=(refund(12_900), REPLY), needs_second=True)
    at = f"/app/reviews/{review_id}"
    colleague = await served.colleague(shop, Role.AGENT)
    async with (
        seated(browser, served.url, colleague, scripts=scripts) as first,
        seated(browser, served.url, secret, scripts=scripts) as second,
    ):
        for seat in (first, second):
            await seat.open(at)
        await _edit(first, at, "Voici mes mots.")
        await second.send(f"{at}/approve")

        assert "The draft changed while you were reading" in await second.text()
        await expect(second.page.locator(".conflict ins").first).to_contain_text("Voici")
        await expect(second.page.locator(".conflict del").first).to_contain_text("Bonjour")
        row = await only_row(database, escalation_tickets, id=review_id)
        assert (row["status"], row["edited_text"]) == ("pending", "Voici mes mots.")

        await second.send(f"{at}/approve")
        assert first.complaints + second.complaints == []
    row = await only_row(database, escalation_tickets, id=review_id)
    assert (row["status"], row["edited_text"]) == ("approved", "Voici mes mots.")
    assert row["decided_by"] == shop.owner_user_id
    assert row["first_approved_by"] not in (None, shop.owner_user_id)


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_a_reply_outlives_the_session_and_is_not_sent(
    browser: Browser, served: Served, shared_mail: MailServer, scripts: bool
) -> None:
    """The reviewer signs in again with a code, and the form contains the reply."""
    database = served.engine.database
    shop, secret = await served.owner()
    told = (await served.engine.post(shop, message=UNSURE_MESSAGE)).json()
    review = await only_row(database, escalation_tickets, of=shop)
    at = f"/app/reviews/{review['id']}"
    email = f"{shop.client_id.lower()}@example.com"
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        await seat.open(at)
        words = await _opened(seat, at)
        await words.fill(WORDS)
        await seat.sign_out()
        async with seat.page.expect_navigation():
            await seat.page.locator(f'form[action="{at}/edit"] button').click()
        assert "/app/sign-in?next=" in seat.page.url
        await seat.page.locator("#email").fill(email)
        async with seat.page.expect_navigation():
            await seat.page.locator("form button").first.click()
        await seat.page.locator("#code").fill(code_in(await mail_to(shared_mail, email)))
        async with seat.page.expect_navigation():
            await seat.page.locator("form button").first.click()

        await expect(seat.page).to_have_url(f"{served.url}{at}")
        await expect(words).to_have_value(WORDS)
        row = await only_row(database, escalation_tickets, of=shop)
        # The script claims the review while the reviewer types.
        assert row["status"] == ("claimed" if scripts else "pending")
        assert (row["decided_at"], row["edited_text"]) == (None, None)
        async with seat.page.expect_navigation():
            await seat.page.locator(f'form[action="{at}/edit"] button').click()
        assert seat.complaints == []
    row = await only_row(database, escalation_tickets, of=shop)
    assert (row["status"], row["edited_text"]) == ("edited", WORDS)
    await served.engine.run_of(shop, told["event_id"]).result()


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_a_reply_with_a_file_is_mailed_after_ten_seconds(
    browser: Browser, served: Served, shared_mail: MailServer, scripts: bool
) -> None:
    database = served.engine.database
    shop, secret = await served.owner()
    await with_sender(database, shop)
    customer = f"{shop.client_id.lower()}@customer.example"
    mail = {"event_type": "email.inbound", "customer_email": customer}
    told = (await served.engine.post(shop, message=UNSURE_MESSAGE, **mail)).json()
    at = f"/app/conversations/{await conversation_of(database, told['event_id'])}"
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        await seat.open(at)
        await seat.page.locator("#file").set_input_files(
            {"name": PHOTO.name, "mimeType": PHOTO.claimed_type, "buffer": PHOTO.data}
        )
        await seat.page.locator("details:has(#file) > summary").click()
        await seat.send(f"{at}/attach")
        file = await only_row(database, attachments, of=shop)
        listed = seat.page.locator(f'ul.files a[href="/app/attachments/{file["id"]}"]')
        await expect(listed).to_have_text(PHOTO.name)
        await seat.send(f"{at}/reply", {"text": WORDS})
        assert "It is sent in ten seconds" in await seat.text()
        reply = await only_row(database, conversation_replies, of=shop)
        assert reply["send_at"] - reply["created_at"] == timedelta(seconds=10)
        assert not [one for one in shared_mail.mails if one["To"] == customer]

        sent = await mail_to(shared_mail, customer)
        assert plain_text(sent).strip() == WORDS
        assert [(one.get_filename(), one.get_content()) for one in sent.iter_attachments()] == [
            (PHOTO.name, PHOTO.data)
        ]

        async def settled() -> bool:
            row = await only_row(database, conversation_replies, of=shop)
            return bool(row["state"] == "sent")

        await eventually(settled)
        await seat.open(at)
        await expect(seat.page.locator(f'form[action="{at}/undo"]')).to_have_count(0)
        download = seat.page.locator(f'.thread a[href="/app/attachments/{file["id"]}"]')
        await expect(download).to_have_text(PHOTO.name)
        assert seat.complaints == []


async def test_a_reply_with_a_file_is_not_sent_after_an_undo(
    browser: Browser, served: Served, shared_mail: MailServer
) -> None:
    """The file and the words return to the form."""
    database = served.engine.database
    shop = await open_shop(database)
    await with_sender(database, shop)
    customer = f"{shop.client_id.lower()}@customer.example"
    mail = {"event_type": "email.inbound", "customer_email": customer}
    told = (await served.engine.post(shop, message=UNSURE_MESSAGE, **mail)).json()
    at = f"/app/conversations/{await conversation_of(database, told['event_id'])}"
    async with seated(browser, served.url, await served.session(shop)) as seat:
        await seat.open(at)
        await seat.page.locator("#file").set_input_files(
            {"name": PHOTO.name, "mimeType": PHOTO.claimed_type, "buffer": PHOTO.data}
        )
        await seat.page.locator("details:has(#file) > summary").click()
        await seat.send(f"{at}/attach")
        await seat.send(f"{at}/reply", {"text": WORDS})
        await seat.send(f"{at}/undo")
        await expect(seat.page.locator("#reply-form [name=text]")).to_have_value(WORDS)
        await expect(seat.page.locator("ul.files a")).to_have_text(PHOTO.name)
        assert seat.complaints == []
    assert await rows(database, conversation_replies, of=shop) == []
    assert not [one for one in shared_mail.mails if one["To"] == customer]


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_the_agent_is_silent_from_the_takeover_to_the_hand_back(
    browser: Browser, served: Served, scripts: bool
) -> None:
    engine, (shop, secret) = served.engine, await served.owner()

    async def asks() -> dict[str, str]:
        by = {"customer_email": "emma@example.com"}
        answer: dict[str, str] = (await engine.post(shop, message=ORDER_QUESTION, **by)).json()
        return answer

    first = await asks()
    assert first["status"] == "completed"
    talk = f"/app/conversations/{await conversation_of(engine.database, first['event_id'])}"
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        await seat.open(talk)
        await seat.send(f"{talk}/take")
        held = await asks()
        assert held["status"] == "needs_review"
        review = await only_row(engine.database, escalation_tickets, of=shop)
        at = f"/app/reviews/{review['id']}"
        await seat.open(talk)
        async with seat.page.expect_navigation():
            await seat.page.locator(f'.thread a[href="{at}"]').click()
        await _edit(seat, at, WORDS)
        await engine.run_of(shop, held["event_id"]).result()
        said = await rows(engine.database, engine_messages, of=shop, direction="outbound")
        assert sorted(one["author"] for one in said) == ["agent", "human"]
        assert WORDS in {one["body"] for one in said}

        await seat.open(talk)
        assert WORDS in (await seat.text()).replace("’", "'")
        await seat.send(f"{talk}/hand-back")
        await expect(seat.page.locator(f'form[action="{talk}/take"]')).to_have_count(1)
        assert (await asks())["status"] == "completed"
        assert seat.complaints == []


async def _edit(seat: Seat, at: str, text: str) -> None:
    await (await _opened(seat, at)).fill(text)
    async with seat.page.expect_navigation():
        await seat.page.locator(f'form[action="{at}/edit"] button').click()


async def _opened(seat: Seat, at: str) -> Locator:
    """Open the form that edits the draft, and return its text."""
    words = seat.page.locator(f'form[action="{at}/edit"] textarea')
    if not await words.is_visible():  # It is open if there is no draft to approve.
        await seat.page.locator('summary[data-key="edit"]').click()
    return words
