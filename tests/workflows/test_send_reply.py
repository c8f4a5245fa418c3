"""Members' replies: sent once in the channel of the customer's message, or undone."""

import json

import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind, StepOutcome, StepState
from domain.agent.rulebook import Rulebook
from domain.core import names
from domain.core.contracts import BackgroundRef
from domain.runs.contracts import FailReplyInput, SweepInput
from domain.runs.teammate_reply import FIRST_STEP
from services.core.unit_of_work import UnitsOfWork
from services.reviews.decisions import edit_review
from services.reviews.replies import undo_reply
from services.reviews.reply_sending import settle_reply, start_reply
from store.audit.tables import audit_entries
from store.intake.tables import engine_events
from store.learning.tables import shadow_drafts
from store.reviews.reply_files import ReplyFileRepository
from store.reviews.tables import escalation_tickets
from store.runs.conversation_reading import ConversationReader
from store.runs.tables import (
    action_ledger,
    ai_conversations,
    conversation_replies,
    engine_messages,
)
from store.webhooks.tables import outbox
from store.widget.session_messages import SessionMessageRepository
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.intake.attachments import INVOICE, PHOTO
from tests.support.reviews.replies import (
    ANNA,
    BEN,
    WORDS,
    conversation_of,
    due_now,
    send,
    write_and_send,
    written,
)
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import (
    ORDER_QUESTION,
    UNSURE_MESSAGE,
    Shop,
    open_shop,
    with_sender,
)
from tests.support.widget.page import page_of, signed, with_secret
from tests.support.widget.stream import read_messages
from tests.support.widget.talk import VERIFIED

CUSTOMER = "a@b.example"


async def held_mail(engine: LiveEngine, shop: Shop) -> tuple[str, str]:
    """Return the event and conversation of an email that is held for review."""
    answer = await engine.post(
        shop, event_type="email.inbound", customer_email=CUSTOMER, message=UNSURE_MESSAGE
    )
    told = answer.json()
    assert told["status"] == "needs_review", told
    return told["event_id"], await conversation_of(engine.database, told["event_id"])


async def test_a_reply_is_mailed_and_becomes_part_of_the_thread(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    _, conversation_id = await held_mail(engine, shop)

    reply = await write_and_send(engine, shop, conversation_id)

    (sent,) = mail.mails
    assert sent["To"] == CUSTOMER
    assert plain_text(sent).strip() == WORDS, "a member's words have no AI disclosure"
    row = await only_row(engine.database, conversation_replies, of=shop)
    assert (row["id"], row["state"], row["error_code"]) == (reply.id, "sent", None)
    message = await only_row(engine.database, engine_messages, of=shop, reply_id=reply.id)
    assert (message["author"], message["body"], message["event_id"]) == ("human", WORDS, None)
    talk = await only_row(engine.database, ai_conversations, of=shop)
    assert [turn["author"] for turn in talk["turns"]] == ["customer", "human"]
    assert talk["turns"][1]["body"] == WORDS
    entry = await only_row(engine.database, action_ledger, of=shop)
    assert (entry["action"], entry["step"], entry["state"]) == (
        ActionKind.REPLY_BY_EMAIL,
        FIRST_STEP,
        "done",
    )
    assert entry["reference"] == sent["Message-ID"]
    told = await only_row(engine.database, outbox, of=shop, event="ticket.resolved")
    assert json.loads(told["body"])["data"]["ai_response"] == WORDS


async def test_the_open_review_is_closed_and_the_conversation_is_taken_over(
    engine: LiveEngine, shop: Shop
) -> None:
    event_id, conversation_id = await held_mail(engine, shop)

    await write_and_send(engine, shop, conversation_id)

    review = await only_row(engine.database, escalation_tickets, of=shop)
    assert (review["status"], review["decided_by"]) == ("rejected", ANNA.name)
    assert (await engine.run_of(shop, event_id).result())["status"] == "needs_review"
    talk = await only_row(engine.database, ai_conversations, of=shop)
    assert talk["taken_by"] == ANNA.name
    noted = [row["what"] for row in await rows(engine.database, audit_entries, of=shop)]
    assert "reply written" in noted
    assert "review answered with a reply" in noted


async def test_an_undone_reply_is_gone_and_changes_nothing(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    _, conversation_id = await held_mail(engine, shop)
    reply = await written(engine.database, shop, conversation_id)
    async with units_on(engine.database).of(shop.tenant) as work:
        await undo_reply(work, ANNA, reply.id)

    await send(engine, shop, reply)

    assert mail.mails == []
    assert await rows(engine.database, conversation_replies, of=shop) == []
    review = await only_row(engine.database, escalation_tickets, of=shop)
    assert review["status"] == "pending"
    assert (await only_row(engine.database, ai_conversations, of=shop))["taken_by"] is None


async def test_the_wait_is_a_timer_until_the_time_to_undo_has_passed(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    _, conversation_id = await held_mail(engine, shop)
    reply = await written(engine.database, shop, conversation_id)
    due = await engine.activities.replies.due(
        BackgroundRef(client_id=shop.client_id, record_id=reply.id)
    )
    assert 0 < due.wait_s <= 10
    await due_now(engine.database, reply)

    await send(engine, shop, reply)

    assert len(mail.mails) == 1


async def test_a_refused_mail_is_shown_as_failed(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    _, conversation_id = await held_mail(engine, shop)
    mail.recipient_reply = "550 no"

    await write_and_send(engine, shop, conversation_id)

    row = await only_row(engine.database, conversation_replies, of=shop)
    assert (row["state"], row["error_code"]) == ("failed", "mail_refused")
    assert await rows(engine.database, engine_messages, of=shop, author="human") == []


async def test_a_reply_mails_no_stranger(engine: LiveEngine, mail: MailServer) -> None:
    """A client without its own sender emails only verified addresses, as after an approval."""
    shop = await open_shop(engine.database)
    _, conversation_id = await held_mail(engine, shop)

    await write_and_send(engine, shop, conversation_id)

    assert mail.mails == []
    row = await only_row(engine.database, conversation_replies, of=shop)
    assert (row["state"], row["error_code"]) == ("failed", "mail_recipient_unproved")


async def test_nothing_is_told_of_a_customer_who_is_erased_during_the_send(
    engine: LiveEngine, shop: Shop
) -> None:
    event_id, conversation_id = await held_mail(engine, shop)
    reply = await written(engine.database, shop, conversation_id)
    async with units_on(engine.database).of(shop.tenant) as work:
        assert await start_reply(work, reply.id) is not None
    async with engine.database.service() as connection:
        await connection.execute(
            sa.update(engine_events)
            .where(engine_events.c.id == event_id)
            .values(erased_at=utc_now())
        )
    async with units_on(engine.database).of(shop.tenant) as work:
        done = StepOutcome(kind=ActionKind.REPLY_BY_EMAIL, state=StepState.DONE)
        await settle_reply(work, reply, done, reference="")

    assert await rows(engine.database, engine_messages, of=shop, author="human") == []
    assert await rows(engine.database, outbox, of=shop, event="ticket.resolved") == []


async def test_a_mail_of_unknown_outcome_is_not_sent_again(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    _, conversation_id = await held_mail(engine, shop)
    mail.reply = None

    await write_and_send(engine, shop, conversation_id)

    assert len(mail.mails) == 1
    row = await only_row(engine.database, conversation_replies, of=shop)
    assert (row["state"], row["error_code"]) == ("unknown", "mail_unknown")


async def test_a_send_that_was_interrupted_is_not_repeated_by_mail(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """The state left by a worker that is killed after the claim."""
    _, conversation_id = await held_mail(engine, shop)
    reply = await written(engine.database, shop, conversation_id)
    await due_now(engine.database, reply)
    async with units_on(engine.database).of(shop.tenant) as work:
        assert await start_reply(work, reply.id) is not None

    await send(engine, shop, reply)

    assert mail.mails == []
    row = await only_row(engine.database, conversation_replies, of=shop)
    assert row["state"] == "unknown"


async def test_the_sweep_starts_a_reply_whose_workflow_was_never_started(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    _, conversation_id = await held_mail(engine, shop)
    reply = await written(engine.database, shop, conversation_id)
    await due_now(engine.database, reply)

    sweep = engine.activities.sweep_background.begin_left
    done = await ActivityEnvironment().run(sweep, SweepInput(older_than_s=-1))

    assert done.picked_up >= 1
    await engine.client.get_workflow_handle(
        names.background_id(names.SEND_REPLY, shop.client_id, reply.id)
    ).result()
    assert len(mail.mails) == 1


async def test_a_reply_in_the_widget_is_numbered_and_shown_to_the_visitor(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    page = await page_of(engine, shop)
    user = signed(await with_secret(page), VERIFIED)
    told = await page.say(UNSURE_MESSAGE, **user)
    assert told["status"] == "needs_review"
    conversation_id = await conversation_of(engine.database, told["event_id"])

    await write_and_send(engine, shop, conversation_id)

    session_id = page.session(told["session_id"])
    async with engine.database.tenant(shop.tenant) as connection:
        shown = await SessionMessageRepository(connection, shop.tenant).listed(session_id, 0)
    assert [(one.number, one.author, one.text) for one in shown][-1] == (2, "human", WORDS)
    assert mail.mails == []
    mailing = engine.client.get_workflow_handle(names.mail_answer_id(shop.client_id, session_id, 2))
    assert (await mailing.describe()).id == mailing.id
    await mailing.terminate()


async def test_two_replies_follow_each_other(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    _, conversation_id = await held_mail(engine, shop)

    await write_and_send(engine, shop, conversation_id, "Un.")
    await write_and_send(engine, shop, conversation_id, "Deux.", by=ANNA)

    assert len(mail.mails) == 2
    steps = sorted(row["step"] for row in await rows(engine.database, action_ledger, of=shop))
    assert steps == [FIRST_STEP, FIRST_STEP + 1]


async def test_in_shadow_mode_a_reply_is_sent_and_compared_with_the_draft(
    engine: LiveEngine, mail: MailServer
) -> None:
    shop = await open_shop(engine.database, rulebook=Rulebook(shadow=True))
    await with_sender(engine.database, shop)
    told = (
        await engine.post(
            shop, event_type="email.inbound", customer_email=CUSTOMER, message=ORDER_QUESTION
        )
    ).json()
    conversation_id = await conversation_of(engine.database, told["event_id"])

    await write_and_send(engine, shop, conversation_id)
    await engine.run_of(shop, told["event_id"]).result()

    (sent,) = mail.mails
    assert WORDS in plain_text(sent)
    compared = await only_row(engine.database, shadow_drafts, of=shop)
    assert (compared["decision"], compared["sent"]) == ("answered_elsewhere", WORDS)


async def test_a_reply_that_never_ends_is_unknown_in_the_ledger_too(
    engine: LiveEngine, shop: Shop
) -> None:
    """The state left by a workflow that gives up after an interrupted attempt."""
    _, conversation_id = await held_mail(engine, shop)
    reply = await written(engine.database, shop, conversation_id)
    async with units_on(engine.database).of(shop.tenant) as work:
        assert await start_reply(work, reply.id) is not None

    await engine.activities.replies.fail(
        FailReplyInput(client_id=shop.client_id, record_id=reply.id, error_code="unreachable")
    )

    row = await only_row(engine.database, conversation_replies, of=shop)
    assert (row["state"], row["error_code"]) == ("unknown", "unreachable")
    entry = await only_row(engine.database, action_ledger, of=shop)
    assert (entry["state"], entry["detail"]) == ("unknown", "unreachable")


async def test_a_mailed_reply_contains_its_files(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    _, conversation_id = await held_mail(engine, shop)

    await write_and_send(engine, shop, conversation_id, files=(PHOTO, INVOICE))

    (sent,) = mail.mails
    assert plain_text(sent).strip() == WORDS
    assert [(one.get_filename(), one.get_content()) for one in sent.iter_attachments()] == [
        (one.name, one.data) for one in (PHOTO, INVOICE)
    ]
    async with engine.database.tenant(shop.tenant) as connection:
        reader = ConversationReader(connection, shop.tenant)
        answer, question = await reader.messages(conversation_id, before=None, limit=10)
    assert [one.name for one in answer.attachments] == [PHOTO.name, INVOICE.name]
    assert question.attachments == (), "the customer has sent no file"


async def test_the_files_of_a_reply_that_is_not_sent_return_to_their_author(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    event_id, conversation_id = await held_mail(engine, shop)
    reply = await written(engine.database, shop, conversation_id, files=(PHOTO,))
    review = await only_row(engine.database, escalation_tickets, of=shop)
    async with UnitsOfWork(engine.database, engine.engine, utc_now, new_ulid).of(
        shop.tenant
    ) as work:
        await edit_review(work, BEN, str(review["id"]), "Bonjour, voici.")
    await engine.run_of(shop, event_id).result()
    await due_now(engine.database, reply)
    await send(engine, shop, reply)

    row = await only_row(engine.database, conversation_replies, of=shop)
    assert (row["state"], row["error_code"]) == ("failed", "answered_meanwhile")
    assert all(not list(one.iter_attachments()) for one in mail.mails)
    async with engine.database.tenant(shop.tenant) as connection:
        files = ReplyFileRepository(connection, shop.tenant)
        (unsent,) = await files.unsent(conversation_id, ANNA.name)
    assert unsent.name == PHOTO.name


async def test_a_visitor_downloads_the_files_of_a_reply(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    page = await page_of(engine, shop)
    user = signed(await with_secret(page), VERIFIED)
    told = await page.say(UNSURE_MESSAGE, **user)
    conversation_id = await conversation_of(engine.database, told["event_id"])
    await write_and_send(engine, shop, conversation_id, files=(PHOTO,))

    token = told["session_id"]
    messages = (await read_messages(page, token)).json()["messages"]
    (file,) = messages[-1]["files"]
    assert (file["name"], file["size"]) == (PHOTO.name, len(PHOTO.data))
    assert messages[0]["files"] == []
    path = f"/api/widget/attachments/{file['id']}"
    headers = {**page.headers, "x-widget-session": token}
    opened = await engine.http.get(path, params=page.params, headers=headers)
    assert (opened.status_code, opened.content) == (200, PHOTO.data)
    assert opened.headers["content-disposition"].startswith("attachment")

    other = {**headers, "x-widget-session": (await page.say())["session_id"]}
    assert (await engine.http.get(path, params=page.params, headers=other)).status_code == 404
    forged = {**headers, "x-widget-session": token[:-2] + "xx"}
    assert (await engine.http.get(path, params=page.params, headers=forged)).status_code == 404
    session_id = page.session(token)
    mailing = engine.client.get_workflow_handle(names.mail_answer_id(shop.client_id, session_id, 2))
    await mailing.terminate()
