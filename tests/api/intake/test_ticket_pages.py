"""A manually sent ticket."""

from adapters.system import new_ulid
from domain.tenants.client import Role
from store.runs.tables import engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop

NEW = "/app/tickets/new"
TICKETS = "/app/tickets"
TRY = ">Test without sending</button>"
SEND = ">Send ticket</button>"


async def test_a_ticket_is_answered_once(engine: LiveEngine, shop: Shop) -> None:
    async with at_pages(engine, shop) as owner:
        form = form_of(await owner.see(NEW), TICKETS) | {
            "event_type": "shopify.ticket.created",
            "message": "Where is my order?",
        }
        first = await owner.http.post(TICKETS, data=form)
        again = await owner.http.post(TICKETS, data=form)

        assert first.status_code == 303
        assert first.headers["location"].startswith(("/app/reviews/", "/app/conversations/"))
        assert again.headers["location"] == first.headers["location"]


async def test_a_ticket_that_no_playbook_wants(
    engine: LiveEngine, front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    off = f"/api/dashboard/playbooks/{shop.playbook_id}/deactivate"
    assert (await front.http.post(off, headers=owner)).status_code == 200
    async with at_pages(engine, shop) as visitor:
        sent = await visitor.send(NEW, TICKETS, {"event_type": "x.y", "message": "Hello"})

        assert sent.headers["location"] == "/app/playbooks"


async def test_a_ticket_without_words_is_refused(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        sent = await owner.send(NEW, TICKETS, {"event_type": "shopify.x", "message": " "})

        assert sent.headers["location"] == NEW
        assert 'role="alert"' in await owner.follow(sent)


async def test_a_viewer_sends_none(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        assert (await viewer.http.get(NEW)).status_code == 403


async def test_an_owner_alone_tries_without_sending_first(engine: LiveEngine, shop: Shop) -> None:
    """Nobody could approve the owner's ticket: the page offers the simulator and says so, until a
    teammate who may approve joins."""
    async with at_pages(engine, shop) as owner:
        page = await owner.see(NEW)
        assert page.index(TRY) < page.index(SEND)
        assert "Refunds need a second teammate." in page
        assert 'href="/app/members#invite"' in page
        form = form_of(page, TICKETS) | {"event_type": "email.received", "order_number": "1042"}
        asked = {"message": "Where is my order?", "customer_email": "lea@shop.example"}
        tried = await owner.http.post("/app/simulator", data=form | asked)
        assert (tried.status_code, "Where is my order?" in tried.text) == (200, True)
        assert 'id="answer"' in tried.text
        assert 'value="lea@shop.example"' in tried.text
        assert "order_number: 1042" in tried.text
        assert await rows(engine.database, engine_runs, of=shop) == []
        wrong = await owner.http.post("/app/simulator", data=form | {**asked, "message": " "})
        assert wrong.headers["location"] == "/app/simulator"
        assert 'value="lea@shop.example"' in await owner.follow(wrong)

        async with engine.database.service() as connection:
            await join(connection, shop.client_id, new_ulid(), Role.AGENT)
        page = await owner.see(NEW)
        assert page.index(SEND) < page.index(TRY)
        assert "second teammate" not in page


async def test_a_typed_ticket_leads_its_lone_author_to_the_conversation(
    engine: LiveEngine, shop: Shop
) -> None:
    refund = {"event_type": "shopify.ticket.created", "message": "Refund my order 1042 now, please"}
    async with at_pages(engine, shop) as owner:
        sent = await owner.send(NEW, TICKETS, refund)
        assert sent.headers["location"].startswith("/app/reviews/")
        page = await owner.follow(sent)
        assert "Answer it yourself</a>" in page
        assert "send a teammate this link" not in page
