"""Emails that the service or the client itself sent are not answered."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind, StepOutcome, StepState
from domain.inbound.mail import INBOUND
from domain.intake.event import InboundEvent
from domain.intake.event_sender import claimed_customer
from domain.intake.normalization import normalize
from domain.integrations.client_sender import WantedSender
from domain.integrations.providers import Provider
from store.core.database import Database
from store.intake.tables import engine_events
from store.integrations.tables import mail_senders
from store.runs.action_ledger import ActionLedger, Effect, LedgerPlace
from tests.support.core.rows import only_row, rows
from tests.support.inbound.mails import Mail, by_postmark
from tests.support.inbound.stored import listen_to, store_webhook
from tests.support.inbound.working import SERVICE_ADDRESS, Inbox
from tests.support.integrations.senders import SENDER, set_sender
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop, open_shop

OURS = "<reply.01m84k0p648gqfcbwr90e9cn3c@shop.example>"


@pytest.fixture
async def inbox(database: Database, shop: Shop) -> Inbox:
    async with database.tenant(shop.tenant) as connection:
        return Inbox(database, shop, await listen_to(connection, shop.tenant, Provider.POSTMARK))


async def comes(inbox: Inbox, mail: Mail) -> str:
    """Receive an email through Postmark; return the row's id."""
    async with inbox.database.tenant(inbox.shop.tenant) as connection:
        return await store_webhook(
            connection,
            inbox.shop.tenant,
            inbox.integration_id,
            by_postmark(mail).body,
            provider=Provider.POSTMARK,
            topic=INBOUND,
        )


async def mailed_before(inbox: Inbox, message_id: str) -> None:
    place = LedgerPlace((await write(inbox.database, inbox.shop)).run_id, 0, 0)
    done = StepOutcome(kind=ActionKind.REPLY_BY_EMAIL, state=StepState.DONE)
    async with inbox.database.tenant(inbox.shop.tenant) as connection:
        ledger = ActionLedger(connection, inbox.shop.tenant)
        effect = Effect(ActionKind.REPLY_BY_EMAIL)
        await ledger.begin(place, effect, entry_id=new_ulid(), now=utc_now())
        await ledger.finish(place, done, reference=message_id, now=utc_now())


async def test_an_own_mail_that_comes_back_is_no_message(inbox: Inbox) -> None:
    await mailed_before(inbox, OURS)
    before = await rows(inbox.database, engine_events, of=inbox.shop)
    another = await open_shop(inbox.database)
    theirs = replace(inbox, shop=another)
    async with inbox.database.tenant(another.tenant) as connection:
        theirs.integration_id = await listen_to(connection, another.tenant, Provider.POSTMARK)
    ours, forged = [await comes(one, Mail(message_id=OURS)) for one in (inbox, theirs)]

    await inbox.work(ours)
    await theirs.work(forged)

    assert await inbox.states(ours) == ["done own_message"]
    assert await rows(inbox.database, engine_events, of=inbox.shop) == before
    # The other client did not send this email, so its author is a customer.
    assert await theirs.states(forged) == ["done event"]


async def test_mail_from_the_clients_own_address_has_no_customer(inbox: Inbox) -> None:
    await set_sender(
        inbox.database, inbox.shop, FernetSealer(new_seal_key()), WantedSender(SENDER["address"])
    )
    async with inbox.database.tenant(inbox.shop.tenant) as connection:
        await connection.execute(sa.update(mail_senders).values(verified_at=utc_now()))

    await inbox.work(await comes(inbox, Mail(author=SENDER["address"], to="in@parse.example")))

    await assert_nobody_wrote(inbox)


async def test_mail_from_the_services_own_address_has_no_customer(inbox: Inbox) -> None:
    """A merchant forwards the service's notices to support: none of them is answered."""
    await inbox.work(await comes(inbox, Mail(author=SERVICE_ADDRESS, to="in@parse.example")))
    await assert_nobody_wrote(inbox)


async def assert_nobody_wrote(inbox: Inbox) -> None:
    row = await only_row(inbox.database, engine_events, of=inbox.shop)
    event = InboundEvent(event_type=row["event_type"], payload=row["payload"])
    assert claimed_customer(event) is None
    assert normalize(event, fallback_ticket_id="t").customer_email is None
