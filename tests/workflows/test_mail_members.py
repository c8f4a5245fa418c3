"""A run that is held for review is reported by email to the member who chose it."""

from domain.core import names
from domain.reviews.contracts import MailMembersInput
from store.reviews.tables import escalation_tickets
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import only_row
from tests.support.reviews.notifications import email_of, notified
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop

CUSTOMER = "lea.canary@example.com"


async def test_a_held_run_is_reported(engine: LiveEngine, shop: Shop, mail: MailServer) -> None:
    anne = await notified(engine.database, shop)
    answer = await engine.post(shop, message=UNSURE_MESSAGE, customer_email=CUSTOMER)
    assert answer.json()["status"] == "needs_review"

    await engine.client.execute_workflow(
        names.MAIL_MEMBERS_WORKFLOW,
        MailMembersInput(),
        id=f"{names.MAIL_MEMBERS_SCHEDULE}/test",
        task_queue=names.ENGINE_QUEUE,
    )

    review = await only_row(engine.database, escalation_tickets, client_id=shop.client_id)
    (one,) = [it for it in mail.mails if str(it["To"]).lower() == email_of(anne)]
    assert f"/reviews/{review['id']}?client_id={shop.client_id}" in plain_text(one)
    assert "rappeler" not in one.as_string()
    assert "canary" not in one.as_string()
