"""The page of the inbox: views, filters, saved views, changes to several tickets, and the list
beside a ticket's page."""

import re
from datetime import timedelta
from urllib.parse import quote

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind, PlannedAction
from domain.tenants.business_hours import BusinessHours
from domain.tenants.client import Role
from services.reviews.claims import claim_review
from store.intake.tables import engine_events
from store.reviews.tables import inbox_views
from store.runs.tables import ai_conversations, engine_messages
from store.tenants.business_hours import BusinessHoursRepository
from store.tenants.members import MemberRepository
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.reviews.conversations import converse, put_into
from tests.support.reviews.conversations import write as write_into
from tests.support.reviews.replies import BEN
from tests.support.reviews.reviews import open_review, refund
from tests.support.reviews.saved_views import saved_view
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop, open_shop

INBOX = "/app/inbox"


async def failed_talk(front: LiveEngine, shop: Shop) -> str:
    talk = await converse(front.database, shop)
    await write_into(front.database, shop, talk, status="failed")
    return talk


def row_of(page: str, text: str) -> str:
    """Return the row of the table with a text."""
    found = [row for row in page.partition("<tbody>")[2].split("</tr>") if text in row]
    assert len(found) == 1, text
    return found[0]


async def test_a_row_leads_to_the_review_or_else_to_the_conversation(
    front: LiveEngine, shop: Shop
) -> None:
    review = await open_review(
        front.database,
        shop,
        text="Remboursez !",
        plan=(refund(12900), PlannedAction(kind=ActionKind.REPLY)),
    )
    reviewed = await converse(front.database, shop, review)
    talk = await failed_talk(front, shop)
    async with front.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_events)
            .where(engine_events.c.text == "Remboursez !")
            .values(subject="Ma commande")
        )
    async with at_pages(front, shop) as owner:
        page = await owner.see(INBOX)
    first = row_of(page, f'href="/app/reviews/{review}"')
    for part in ("Ma commande", "Remboursez !", "€129.00", "Refund", "Low confidence"):
        assert part in first, part
    assert f'name="review:{review}"' in first
    assert reviewed not in page
    second = row_of(page, f'href="/app/conversations/{talk}"')
    assert "Unanswered" in second
    assert f'name="talk:{talk}"' in second


async def test_a_wait_is_compared_with_the_target(front: LiveEngine, shop: Shop) -> None:
    talk = await failed_talk(front, shop)
    async with at_pages(front, shop) as owner:
        assert "Overdue" not in row_of(await owner.see(INBOX, view="all"), talk)
        async with front.database.tenant(shop.tenant) as connection:
            await connection.execute(
                sa.update(engine_messages).values(
                    created_at=engine_messages.c.created_at - timedelta(hours=2)
                )
            )
            hours = BusinessHours(target_minutes=30)
            await BusinessHoursRepository(connection, shop.tenant).set(hours, utc_now())

        assert "Overdue by" in row_of(await owner.see(INBOX, view="all"), talk)


async def test_the_list_says_who_has_a_ticket(front: LiveEngine, shop: Shop) -> None:
    """A ticket with an open review is not with the agent."""
    with_agent, answered, waiting, refused, unread, assigned = [
        await converse(front.database, shop) for _ in range(6)
    ]
    await write_into(front.database, shop, with_agent)
    done = await write_into(front.database, shop, answered, status="completed")
    await put_into(front.database, shop, waiting, await open_review(front.database, shop))
    await write_into(front.database, shop, refused, status="failed")
    claimed = await open_review(front.database, shop)
    await put_into(front.database, shop, unread, claimed)
    await write_into(front.database, shop, unread)  # the agent processes another message
    async with front.database.tenant(shop.tenant) as connection:
        reply = {
            "client_id": shop.client_id,
            "id": new_ulid(),
            "conversation_id": answered,
            "event_id": done.event_id,
            "direction": "outbound",
            "author": "agent",
            "body": "Voilà.",
            "created_at": utc_now(),
        }
        await connection.execute(sa.insert(engine_messages).values(reply))
        await connection.execute(
            sa.update(ai_conversations)
            .where(ai_conversations.c.id == assigned)
            .values(assignee=shop.owner_user_id)
        )
    async with front.database.service() as connection:
        await join(connection, shop.client_id, BEN.name, Role.AGENT)
    async with units_on(front.database).of(shop.tenant) as work:
        await claim_review(work, BEN, claimed)
    async with at_pages(front, shop) as owner:
        page = await owner.see(INBOX, view="all")
    reviews = [row for row in page.split("<tr id=")[1:] if "/app/reviews/" in row]
    for name, who in (
        (f"/app/conversations/{with_agent}", "Agent"),
        (f"/app/conversations/{answered}", "Agent"),
        (f"/app/conversations/{refused}", "Your team"),
        (f"/app/conversations/{assigned}", "You"),
        (f"/app/reviews/{claimed}", BEN.name.capitalize()),
    ):
        row = row_of(page, name)
        assert f"<span>{who}</span>" in row.replace('<span dir="auto">', "<span>"), who
    assert sum("<span>Your team</span>" in row for row in reviews) == 1


async def test_views_and_their_empty_states(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        for view, text in (
            ("needs", "Inbox zero"),
            ("mine", "Nothing assigned to you"),
            ("second", "Nothing needs a second approval"),
            ("unanswered", "Every message has an answer"),
            ("agent", "handling any ticket"),
            ("all", "No tickets yet"),
            ("decided", "Nothing decided yet"),
        ):
            page = await owner.see(INBOX, view=view)
            assert text in page.replace("&#39;", "'").replace("’", "'"), view
            menu = page.partition('<nav class="menu"')[2].partition("</nav>")[0]
            (here,) = re.findall(r'<a href="([^"]+)" aria-current="page"', menu)
            assert here == (INBOX if view == "needs" else f"{INBOX}?view={view}")
        assert (await owner.http.get(INBOX, params={"view": "x"})).status_code == 400
        assert (await owner.http.get(INBOX, params={"view": new_ulid()})).status_code == 404


async def test_the_inbox_has_pages_and_filters(front: LiveEngine, shop: Shop) -> None:
    for n in range(31):
        await converse(front.database, shop, await open_review(front.database, shop, text=f"m{n}"))
    async with at_pages(front, shop) as owner:
        first = await owner.see(INBOX)
        assert first.count("data-row") == 30
        cursor = first.partition("cursor=")[2].partition('"')[0]
        second = await owner.http.get(f"{INBOX}?cursor={cursor}")
        assert second.text.count("data-row") == 1
        assert "data-row" not in await owner.see(INBOX, classification="complaint")
        dear = await owner.see(INBOX, sum="10,50")
        assert "data-row" not in dear
        assert 'value="10,50"' in dear
        empty = await owner.see(INBOX, classification="", channel="", tag=" ", sum="")
        assert empty.count("data-row") == 30


async def test_a_view_is_saved_opened_renamed_and_deleted(front: LiveEngine, shop: Shop) -> None:
    shown = await open_review(front.database, shop, classification="complaint")
    hidden = await open_review(front.database, shop)
    async with at_pages(front, shop, Role.AGENT) as agent:
        listed = f"{INBOX}?classification=complaint&sum=0%2C50&mood="
        saved = await agent.send(listed, f"{INBOX}/views", {"name": " Plaintes  <b> "})
        to = saved.headers["location"]
        page = await agent.follow(saved)
        assert "View “Plaintes &lt;b&gt;” saved." in page.replace("&#34;", '"')
        row = await only_row(front.database, inbox_views, of=shop)
        assert to == f"{INBOX}?view={row['id']}"
        assert row["filters"] == {"classification": "complaint", "min_amount": 50}
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        page = await viewer.see(INBOX)
        assert f'href="{to}"' in page
        assert f"{INBOX}/views" not in page
    async with at_pages(front, shop) as owner:
        view = f"{INBOX}/views/{row['id']}"
        async with front.database.tenant(shop.tenant) as connection:
            await connection.execute(
                sa.update(inbox_views).values(filters={"classification": "complaint"})
            )
        page = await owner.see(to)
        assert shown in page
        assert hidden not in page
        assert f'href="/app/reviews/{shown}?inbox=view%3D{row["id"]}"' in page
        renamed = await owner.send(to, f"{view}/update", {"name": "Réclamations"})
        assert renamed.headers["location"] == to
        assert "<title>(2) Réclamations" in await owner.follow(renamed)
        refused = await owner.send(to, f"{view}/update", {"name": " "})
        assert "Enter 1 to 60 characters" in await owner.follow(refused)
        gone = await owner.send(to, f"{view}/delete")
        assert "View deleted" in await owner.follow(gone)
        assert await rows(front.database, inbox_views, of=shop) == []
        assert (await owner.http.get(to)).status_code == 404
        beside = await owner.see(f"/app/reviews/{shown}?inbox={quote('view=' + row['id'])}")
        assert f'href="/app/reviews/{hidden}"' in beside, "the default list is beside it"


async def test_a_saved_view_opens_in_the_shop_that_it_belongs_to(
    front: LiveEngine, shop: Shop
) -> None:
    other = await open_shop(front.database, brand="Autre")
    view = await saved_view(front.database, other, "Les leurs")
    async with at_pages(front, shop) as owner:
        assert (await owner.http.get(INBOX, params={"view": view})).status_code == 404
        async with front.database.service() as connection:
            await MemberRepository(connection).add(
                other.client_id, owner.user_id, Role.VIEWER, utc_now()
            )
        moved = await owner.http.get(INBOX, params={"view": view})
        assert "Les leurs" in await owner.follow(moved)


async def test_tickets_are_changed_together(front: LiveEngine, shop: Shop) -> None:
    review = await open_review(front.database, shop)
    reviewed = await converse(front.database, shop, review)
    talk = await failed_talk(front, shop)
    both = {f"review:{review}": "on", f"talk:{talk}": "on"}
    async with at_pages(front, shop) as owner:

        async def done(do: str, **more: str) -> str:
            path = f"{INBOX}?view=all"
            return await owner.follow(
                await owner.send(path, f"{INBOX}/several", {**both, "do": do, **more})
            )

        assert "Assigned to you: 2." in await done("claim")
        mine = await owner.see(INBOX, view="mine")
        assert review in mine
        assert talk in mine
        assert "Unassigned: 2." in await done("release")
        assert "Nothing assigned" in await owner.see(INBOX, view="mine")
        assert "Tickets assigned: 2." in await done("assign", assignee=owner.user_id)
        assert "Still to approve or reject: 1." in await done("snooze", days="3")
        assert "Still to approve or reject: 1." in await done("close")
        assert talk not in await owner.see(INBOX)
        assert "Tickets reopened: 2." in await done("reopen")
        refused = await done("reject", note="Non")
        assert "no draft to reject" in refused
        assert "This is missing or not valid" in await done("approve")
        assert "There is a problem" in await done("snooze", days="2")
        assert review in await owner.see(INBOX)
        both.pop(f"talk:{talk}")
        assert "Drafts rejected: 1." in await done("reject", note="Non")
        needs = await owner.see(INBOX)
        assert review not in needs
        assert f"/app/conversations/{reviewed}" in needs, "the customer still has no answer"
        both.clear()
        assert "not valid" in await done("close")
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        assert f"{INBOX}/several" not in await viewer.see(INBOX)


async def test_the_bar_has_four_actions_and_the_rest_under_more(
    front: LiveEngine, shop: Shop
) -> None:
    await open_review(front.database, shop)
    async with at_pages(front, shop, Role.AGENT) as agent:
        bar = (await agent.see(INBOX)).partition('class="sticky bulk"')[2].partition("</form>")[0]
    first, _, more = bar.partition("popovertarget")
    actions = [re.findall(r'name="do" value="(\w+)"', part) for part in (first, more)]
    assert actions == [["claim", "assign", "snooze", "close"], ["release", "reopen", "reject"]]
    assert 'id="note"' in more


async def test_several_changes_are_all_made_or_none(front: LiveEngine, shop: Shop) -> None:
    mine, theirs = [await open_review(front.database, shop) for _ in range(2)]
    async with front.database.service() as connection:
        await join(connection, shop.client_id, BEN.name, Role.AGENT)
    async with units_on(front.database).of(shop.tenant) as work:
        await claim_review(work, BEN, theirs)
    async with at_pages(front, shop) as owner:
        fields = {f"review:{one}": "on" for one in (mine, theirs)} | {"do": "reject"}
        page = await owner.follow(await owner.send(INBOX, f"{INBOX}/several", fields))
        assert "is working on this ticket" in page
        assert mine in page
        assert theirs in page


async def test_the_list_that_one_comes_from_is_beside_a_ticket(
    front: LiveEngine, shop: Shop
) -> None:
    ids = [
        await open_review(front.database, shop, classification="complaint", text=f"m{n}")
        for n in range(3)
    ]
    other = await open_review(front.database, shop)
    talk = await converse(front.database, shop, ids[0])
    inbox = f"?inbox={quote('classification=complaint', safe='')}"
    async with at_pages(front, shop) as owner:
        page = await owner.see(f"/app/reviews/{ids[1]}{inbox}")
        pane = page.partition('<nav id="pane"')[2].partition("</nav>")[0]
        assert re.findall(r"/app/reviews/(\w{26})\?", pane) == ids
        assert other not in pane
        assert re.search(rf'href="/app/reviews/{ids[1]}[^"]*" aria-current="page"', pane)
        crumbs = page.partition('<nav class="crumbs"')[2].partition("</nav>")[0]
        assert f'href="/app/reviews/{ids[0]}{inbox}" data-key="previous"' in crumbs
        assert f'href="/app/reviews/{ids[2]}{inbox}" data-key="next"' in crumbs
        assert f'href="{INBOX}?classification=complaint"' in crumbs

        part = re.search(r'hx-get="([^"]+)"', pane)
        assert part is not None
        alone = await owner.see(part.group(1).replace("&amp;", "&"))
        assert "<html" not in alone
        assert alone.count('aria-current="page"') == 1

        at = f"/app/reviews/{ids[1]}"
        claimed = await owner.send(f"{at}{inbox}", f"{at}/claim")
        assert claimed.headers["location"] == f"{at}{inbox}"
        fields = form_of(await owner.see(f"{at}{inbox}"), f"{at}/approve")
        approved = await owner.http.post(f"{at}/approve", data=fields)
        assert approved.headers["location"] == f"/app/reviews/{ids[2]}{inbox}"

        page = await owner.see(f"/app/conversations/{talk}{inbox}")
        pane = page.partition('<nav id="pane"')[2].partition("</nav>")[0]
        assert re.search(rf'href="/app/reviews/{ids[0]}[^"]*" aria-current="page"', pane)
        noted = await owner.send(
            f"/app/conversations/{talk}{inbox}&write=note",
            f"/app/conversations/{talk}/note",
            {"text": "Vu."},
        )
        assert noted.headers["location"] == f"/app/conversations/{talk}{inbox}"
        broken = await owner.see(f"/app/conversations/{talk}?inbox=view%3Dnone")
        assert other in broken


async def test_old_addresses_lead_to_the_inbox(front: LiveEngine, shop: Shop) -> None:
    client = shop.client_id
    async with at_pages(front, shop) as owner:
        for old, new in (
            ("/app/reviews", INBOX),
            ("/app/reviews?tab=open&cursor=x", INBOX),
            ("/app/reviews?tab=mine&reason=unsafe_input", f"{INBOX}?view=mine&reason=unsafe_input"),
            ("/app/reviews?tab=decided&order=newest", f"{INBOX}?view=decided&order=newest"),
            ("/app/reviews?status=claimed&sum=5", f"{INBOX}?sum=5&claim=claimed"),
            ("/app/reviews?status=open", INBOX),
            ("/app/conversations", f"{INBOX}?view=all"),
            ("/app/conversations?waiting=unanswered", f"{INBOX}?view=unanswered"),
            (
                f"/app/conversations?mood=unhappy&tag=a%26b&client_id={client}",
                f"{INBOX}?view=all&mood=unhappy&tag=a%26b&client_id={client}",
            ),
        ):
            moved = await owner.http.get(old)
            assert (moved.status_code, moved.headers["location"]) == (308, new)
            assert (await owner.http.get(new)).status_code == 200


async def test_another_clients_tickets_are_not_there(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database, brand="Autre")
    theirs = await open_review(front.database, other)
    await failed_talk(front, other)
    async with at_pages(front, shop) as owner:
        assert "Inbox zero" in await owner.see(INBOX)
        fields = {f"review:{theirs}": "on", "do": "claim"}
        await open_review(front.database, shop)
        page = await owner.follow(await owner.send(INBOX, f"{INBOX}/several", fields))
        assert "no longer needs approval" in page


async def test_the_filters_of_conversations(front: LiveEngine, shop: Shop) -> None:
    talk = await failed_talk(front, shop)
    path = f"/app/conversations/{talk}"
    async with at_pages(front, shop, Role.AGENT) as agent:
        fields = {"status": "closed", "assignee": agent.user_id, "tags": "vip"}
        await agent.send(path, f"{path}/update", fields)
        for found in ({"status": "closed"}, {"assignee": agent.user_id}, {"tag": " vip "}):
            page = await agent.see(INBOX, view="all", **found)
            assert path in page, found
            assert ">vip<" in page
        for nothing in ({"status": "open"}, {"assignee": "-"}, {"tag": "v"}):
            assert path not in await agent.see(INBOX, view="all", **nothing), nothing
        refused = await agent.http.get(INBOX, params={"tag": "\0"})
        assert refused.status_code == 400
        assert (await agent.http.get(INBOX, params={"cursor": "x"})).status_code == 400


async def test_the_filter_by_member_is_for_those_who_decide(front: LiveEngine, shop: Shop) -> None:
    for role in Role:
        async with at_pages(front, shop, role) as member:
            page = await member.see(INBOX)
        is_offered = '<select id="assignee"' in page
        assert is_offered is (role is not Role.VIEWER), role
        assert (f'value="{shop.owner_user_id}"' in page) is is_offered, role
