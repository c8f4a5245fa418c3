"""/api/dashboard/data-requests: who requested data, what is stored, and its completion."""

import sqlalchemy as sa

from adapters.system import utc_now
from domain.intake.event import Channel, UnifiedEvent
from domain.intake.proved_address import ProofKind, ProvedAddress
from domain.integrations.order_fact import OrderFact
from domain.tenants.client import Role
from services.reviews.notes import add_note
from store.inbound.poll_cursors import PollCursorRepository
from store.inbound.tables import data_requests
from store.intake.tables import engine_events
from store.integrations.order_facts import OrderFactRepository
from store.runs.tables import conversation_replies
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.core.units import units_on
from tests.support.dashboard.visitors import at_pages
from tests.support.inbound.data_requests import data_requested
from tests.support.inbound.log import a_sender
from tests.support.intake.attachments import INVOICE
from tests.support.reviews.dashboard import person
from tests.support.reviews.replies import BEN, conversation_of, written
from tests.support.runs.conversation import write
from tests.support.tenants.access import DATA_REQUESTS
from tests.support.tenants.shop import Shop
from tests.support.widget.talk import begin, put_into

ANN, BOB = "ann@x.example", "bob@x.example"


async def test_the_file_holds_what_is_the_customers_and_nothing_of_others(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    database, now = front.database, utc_now()
    for customer, words in ((ANN.upper(), "Where is my lamp?"), (BOB, "bobs secret")):
        ref = await write(database, shop, words, customer=customer, now=now)
        async with units_on(database).of(shop.tenant) as work:
            # A note may concern anyone in the conversation.
            conversation_id = await conversation_of(database, ref.event_id)
            await add_note(work, BEN, conversation_id, "Bob is in a hurry.")
        async with database.tenant(shop.tenant) as connection:
            here = await a_sender(database, shop)
            fact = OrderFact(order_id=f"of {customer}", version=now, customer_email=customer)
            await OrderFactRepository(connection, shop.tenant).apply(here, fact, now)
    request_id = await data_requested(database, shop, ANN)
    await data_requested(database, shop, None)

    listed = (await front.http.get(DATA_REQUESTS, headers=owner)).json()
    file = (await front.http.get(f"{DATA_REQUESTS}/{request_id}", headers=owner)).json()

    assert [one["customer_email"] for one in listed["requests"]] == [None, ANN]
    assert listed["requests"][1]["fulfilled_at"] is None
    assert (file["customer_email"], file["is_complete"]) == (ANN, True)
    assert [one["body"] for one in file["messages"]] == ["Where is my lamp?"]
    assert len(file["runs"]) == 1
    assert [one["order_id"] for one in file["orders"]] == [f"of {ANN.upper()}"]
    assert "bob" not in str(file).lower()

    done = [
        (await front.http.post(f"{DATA_REQUESTS}/{request_id}/fulfil", headers=who)).json()
        for who in (owner, await person(front, shop, Role.ADMIN))
    ]
    assert done[0]["fulfilled_at"] is not None
    assert done[0] == done[1], "the first who said so stays"


async def test_the_file_lists_a_members_files_only_once_they_are_sent(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """A member may have uploaded the file to the wrong conversation."""
    ref = await write(front.database, shop, customer=ANN, channel=Channel.WIDGET)
    await put_into(front.database, shop, await begin(front.database, shop), ref)
    conversation_id = await conversation_of(front.database, ref.event_id)
    reply = await written(front.database, shop, conversation_id, files=[INVOICE])
    request_id = await data_requested(front.database, shop, ANN)
    shown = []
    for state in ("scheduled", "sent"):
        async with front.database.tenant(shop.tenant) as connection:
            await connection.execute(
                sa.update(conversation_replies)
                .where(conversation_replies.c.id == reply.id)
                .values(state=state)
            )
        answer = await front.http.get(f"{DATA_REQUESTS}/{request_id}", headers=owner)
        shown.append([one["name"] for one in answer.json()["attachments"]])

    assert shown == [[], [INVOICE.name]]


async def test_a_message_of_an_unverified_author_is_marked(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """Attack: a stranger writes in a customer's name. The customer must not get the stranger's
    words as their own data, without a warning."""
    database, now = front.database, utc_now()
    proof = ProvedAddress(address=ANN, by=ProofKind.MAIL)
    said = {"Mine": proof, "Not mine": None, "Not read yet": None}
    request_id = await data_requested(database, shop, ANN)
    path = f"/app/data-requests/{request_id}"
    warns = []
    for words, proved in said.items():
        ref = await write(database, shop, words, customer=ANN, now=now)
        event = UnifiedEvent(channel=Channel.EMAIL, customer_email=ANN, proved=proved)
        unified = None if words == "Not read yet" else event.model_dump(mode="json")
        async with database.tenant(shop.tenant) as connection:
            changed = sa.update(engine_events).where(engine_events.c.id == ref.event_id)
            await connection.execute(changed.values(unified=unified))
        async with at_pages(front, shop, Role.ADMIN) as admin:
            warns.append("unverified address" in await admin.see(path))

    file = (await front.http.get(f"{DATA_REQUESTS}/{request_id}", headers=owner)).json()

    marks = {one["body"]: one["author_verified"] for one in file["messages"]}
    assert marks == {"Mine": True, "Not mine": False, "Not read yet": False}
    assert warns == [False, True, True]


async def test_orders_that_the_shop_names_are_the_customers(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """Parcels and refunds contain no address; an order of another shop with the same id is not
    included."""
    database, now = front.database, utc_now()
    request_id = await data_requested(database, shop, None)
    request = await only_row(database, data_requests, id=request_id)
    other = await a_sender(database, shop)
    async with database.tenant(shop.tenant) as connection:
        facts = OrderFactRepository(connection, shop.tenant)
        for place, order_id in ((request["integration_id"], "1"), (other, "1"), (other, "2")):
            fact = OrderFact(
                order_id=order_id, version=now, tracking_url=f"https://t.example/{place}"
            )
            await facts.apply(place, fact, now)

    file = (await front.http.get(f"{DATA_REQUESTS}/{request_id}", headers=owner)).json()

    (order,) = file["orders"]
    assert (order["order_id"], order["tracking_url"][-26:]) == ("1", request["integration_id"])


async def test_a_request_without_an_address_has_an_empty_file(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    await write(front.database, shop, "?", customer=None, now=utc_now())
    request_id = await data_requested(front.database, shop, None)
    file = (await front.http.get(f"{DATA_REQUESTS}/{request_id}", headers=owner)).json()
    assert (file["messages"], file["orders"], file["memory"]) == ([], [], None)


async def test_polls_say_which_platform_fails(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    here = await a_sender(front.database, shop)
    async with front.database.tenant(shop.tenant) as connection:
        cursors = PollCursorRepository(connection, shop.tenant)
        await cursors.advance(here, {"since": "2026-11-01T00:00:00+00:00"}, utc_now())
        await cursors.fail(here, "not_authorized", utc_now())
    (poll,) = (await front.http.get("/api/dashboard/polls", headers=owner)).json()["polls"]
    assert (poll["integration_id"], poll["error_code"], poll["failures"]) == (
        here, "not_authorized", 1,
    )  # fmt: skip
