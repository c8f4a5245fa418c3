"""Replay scenarios for workflows started by widget visitors."""

from domain.core import names
from domain.reviews.escalation import Decision
from domain.widget.contracts import LateAnswer, MailAnswerInput
from store.reviews.tables import escalation_tickets
from store.widget.tables import widget_codes
from tests.replay.scenarios import Scenario
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.identity.sign_in import mail_to
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop
from tests.support.widget.page import page_of, signed, with_secret
from tests.support.widget.talk import VERIFIED, answer, ask, begin


async def answered_to_a_visitor(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """A human answers a visitor with a verified address: the email's workflow is a child."""
    page = await page_of(engine, shop)
    told = await page.say(UNSURE_MESSAGE, **signed(await with_secret(page), VERIFIED))
    review = await only_row(engine.database, escalation_tickets)
    await engine.decide(review["id"], Decision.EDIT, "Demain.")
    return names.process_event_id(shop.client_id, told["event_id"])


async def answer_mailed(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    session_id = await begin(engine.database, shop, email=VERIFIED)
    ref = await ask(engine.database, shop, session_id)
    number = await answer(engine.database, shop, ref)
    assert number is not None
    late = LateAnswer(session_id=session_id, number=number)
    workflow_id = names.mail_answer_id(shop.client_id, session_id, number)
    await engine.client.start_workflow(
        names.MAIL_ANSWER,
        MailAnswerInput(client_id=shop.client_id, answer=late, wait_s=0.1),
        id=workflow_id,
        task_queue=names.ENGINE_QUEUE,
    )
    return workflow_id


async def visitor_code_mailed(engine: LiveEngine, shop: Shop, mail: MailServer) -> str:
    page = await page_of(engine, shop)
    token = (await page.config()).json()["session_id"]
    wanted = {"session_id": token, "customer_email": VERIFIED}
    asked = await engine.http.post(
        "/api/widget/email", params=page.params, headers=page.headers, json=wanted
    )
    assert asked.status_code == 202, asked.text
    await mail_to(mail, VERIFIED)
    code = await only_row(engine.database, widget_codes)
    return names.send_mail_id(shop.client_id, code["id"])


WIDGET_SCENARIOS: dict[str, Scenario] = {
    scenario.__name__: scenario
    for scenario in (answered_to_a_visitor, answer_mailed, visitor_code_mailed)
}
