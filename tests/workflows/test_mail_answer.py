"""Late widget answers: emailed once, to the verified address, and only if nobody has seen them."""

import pytest
from temporalio.client import WorkflowExecutionStatus
from temporalio.service import RPCError

from adapters.system import new_ulid, utc_now
from domain.core import names
from domain.reviews.escalation import Decision
from domain.widget.contracts import LateAnswer, MailAnswerInput
from domain.widget.widget_session import HeldSession, visitor_digest
from store.runs.tables import engine_runs
from store.widget.answers_by_mail import AnswersByMailRepository
from store.widget.session_states import SessionStateRepository
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import only_row
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.tenants.automation import stop
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop
from tests.support.widget.page import page_of, signed, with_secret
from tests.support.widget.talk import VERIFIED, answer, ask, begin

TYPED = "typed@free.example"


async def late_answer(
    engine: LiveEngine, shop: Shop, *, email: str | None = VERIFIED
) -> LateAnswer:
    session_id = await begin(engine.database, shop, email=email)
    ref = await ask(engine.database, shop, session_id, payload={"customer_email": TYPED})
    number = await answer(engine.database, shop, ref, "C'est parti.", author="human")
    assert number is not None
    return LateAnswer(session_id=session_id, number=number)


async def mail_it(engine: LiveEngine, shop: Shop, one: LateAnswer) -> None:
    """Run the whole workflow without the wait."""
    await engine.client.execute_workflow(
        names.MAIL_ANSWER,
        MailAnswerInput(client_id=shop.client_id, answer=one, wait_s=0),
        id=f"{names.mail_answer_id(shop.client_id, one.session_id, one.number)}/{new_ulid()}",
        task_queue=names.ENGINE_QUEUE,
    )


async def test_an_unseen_answer_is_mailed_to_the_verified_address(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    await mail_it(engine, shop, await late_answer(engine, shop))

    (sent,) = mail.mails
    assert sent["To"] == VERIFIED
    assert sent["Subject"] == "Answer from Boutique"
    assert sent["From"].startswith("Boutique")
    assert sent["Auto-Submitted"] == "auto-generated"
    assert "C'est parti." in plain_text(sent)


async def test_no_late_answer_of_the_agent_is_mailed_while_it_is_stopped(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """It remains on the page. A human's answer is emailed."""
    session_id = await begin(engine.database, shop, email=VERIFIED)
    ref = await ask(engine.database, shop, session_id, payload={"customer_email": TYPED})
    number = await answer(engine.database, shop, ref, "C'est l'agent.", author="agent")
    assert number is not None
    await stop(engine, shop)

    await mail_it(engine, shop, LateAnswer(session_id=session_id, number=number))
    assert mail.mails == []
    await mail_it(engine, shop, await late_answer(engine, shop))
    assert len(mail.mails) == 1


async def test_a_seen_answer_and_one_for_a_typed_address_are_not_mailed(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    seen = await late_answer(engine, shop)
    async with engine.database.tenant(shop.tenant) as connection:
        states = SessionStateRepository(connection, shop.tenant)
        held = HeldSession(seen.session_id, visitor_digest(seen.session_id, VERIFIED))
        assert await states.seen(held, seen.number, utc_now())
    unverified = await late_answer(engine, shop, email=None)

    await mail_it(engine, shop, seen)
    await mail_it(engine, shop, unverified)

    assert mail.mails == []


async def test_a_worker_that_died_before_it_sent_is_made_up_for(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    one = await late_answer(engine, shop)
    async with engine.database.tenant(shop.tenant) as connection:
        assert await AnswersByMailRepository(connection, shop.tenant).claim(one) is not None
    mail.recipient_reply = "451 later"
    ending = await engine.client.start_workflow(
        names.MAIL_ANSWER,
        MailAnswerInput(client_id=shop.client_id, answer=one, wait_s=0),
        id=names.mail_answer_id(shop.client_id, one.session_id, one.number),
        task_queue=names.ENGINE_QUEUE,
    )

    async def was_refused() -> bool:
        return mail.refused > 0

    await eventually(was_refused)
    mail.recipient_reply = "250 ok"
    await ending.result()

    assert len(mail.mails) == 1


@pytest.mark.parametrize("reply", [None, "550 never"])
async def test_a_mail_that_was_refused_or_of_unknown_fate_is_not_sent_again(
    engine: LiveEngine, shop: Shop, mail: MailServer, reply: str | None
) -> None:
    mail.reply = reply

    await mail_it(engine, shop, await late_answer(engine, shop))

    assert len(mail.mails) == 1


async def test_a_run_starts_it_for_a_verified_visitor_whose_answer_was_reviewed(
    engine: LiveEngine, shop: Shop
) -> None:
    page = await page_of(engine, shop)
    user = signed(await with_secret(page), VERIFIED)
    at_once = await page.say(ORDER_QUESTION, **user)
    assert at_once["status"] == "completed"
    later = await page.say(UNSURE_MESSAGE, session_id=at_once["session_id"], **user)
    anonymous = await page.say(UNSURE_MESSAGE)
    for told in (later, anonymous):
        assert told["status"] == "needs_review"
        run_id = (await only_row(engine.database, engine_runs, event_id=told["event_id"]))["id"]
        review = await engine.review_of(run_id, round_=0)
        await engine.decide(review["id"], Decision.EDIT, "Demain.")
        await engine.run_of(shop, told["event_id"]).result()

    def mailing(token: str, number: int) -> str:
        return names.mail_answer_id(shop.client_id, page.session(token), number)

    waiting = engine.client.get_workflow_handle(mailing(later["session_id"], 4))
    try:
        described = await waiting.describe()
        assert described.status is WorkflowExecutionStatus.RUNNING
    finally:
        await waiting.terminate()
    for token, number in [(at_once["session_id"], 2), (anonymous["session_id"], 2)]:
        with pytest.raises(RPCError):
            await engine.client.get_workflow_handle(mailing(token, number)).describe()
