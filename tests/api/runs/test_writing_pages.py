"""The forms with which members write in a conversation, in a browser without JavaScript."""

from datetime import timedelta

from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category, Template
from domain.tenants.client import Role
from services.reviews.reply_sending import start_reply
from store.content.content import ContentRepository
from store.runs.tables import ai_conversations, conversation_notes, conversation_replies
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.reviews.conversations import converse
from tests.support.reviews.replies import WORDS, conversation_of
from tests.support.reviews.reviews import open_review, refund
from tests.support.runs.conversation import say, write
from tests.support.runs.traced_run import traced_run
from tests.support.tenants.shop import Shop

HOSTILE = "<script>alert(1)</script>"


async def _path(front: LiveEngine, shop: Shop) -> str:
    ref = await write(front.database, shop)
    return f"/app/conversations/{await conversation_of(front.database, ref.event_id)}"


async def test_a_reply_is_sent_and_undone(front: LiveEngine, shop: Shop) -> None:
    path = await _path(front, shop)
    async with at_pages(front, shop, Role.AGENT) as agent:
        sent = await agent.follow(await agent.send(path, f"{path}/reply", {"text": HOSTILE}))
        assert "It is sent in ten seconds" in sent
        assert HOSTILE not in sent
        assert "Sent in a few seconds" in sent
        undone = await agent.follow(await agent.send(path, f"{path}/undo"))
        assert "Undone." in undone
        assert "Sent in a few seconds" not in undone
        assert "&lt;script&gt;alert(1)&lt;/script&gt;</textarea>" in undone
    assert await rows(front.database, conversation_replies, of=shop) == []


async def test_an_undo_keeps_what_was_typed_meanwhile(front: LiveEngine, shop: Shop) -> None:
    path = await _path(front, shop)
    async with at_pages(front, shop, Role.AGENT) as agent:
        await agent.send(path, f"{path}/reply", {"text": "Bonjour,"})
        typed = {**form_of(await agent.see(path), f"{path}/reply"), "text": "Et merci."}
        kept = await agent.http.post("/app/drafts", data={**typed, "_form": f"{path}/reply"})
        assert kept.status_code == 204
        undone = await agent.follow(await agent.send(path, f"{path}/undo"))
        assert "Bonjour,\n\nEt merci.</textarea>" in undone


async def test_a_text_that_is_sent_again_is_not_announced(front: LiveEngine, shop: Shop) -> None:
    path = await _path(front, shop)
    async with at_pages(front, shop, Role.AGENT) as agent:
        await agent.send(path, f"{path}/reply", {"text": WORDS})
        again = await agent.follow(await agent.send(path, f"{path}/reply", {"text": WORDS}))
    assert "Nothing else is sent." in again
    assert "It is sent in ten seconds" not in again
    assert len(await rows(front.database, conversation_replies, of=shop)) == 1


async def test_a_failed_reply_says_that_there_was_an_answer(front: LiveEngine, shop: Shop) -> None:
    ref = await write(front.database, shop)
    path = f"/app/conversations/{await conversation_of(front.database, ref.event_id)}"
    async with at_pages(front, shop, Role.AGENT) as agent:
        await agent.send(path, f"{path}/reply", {"text": WORDS})
        row = await only_row(front.database, conversation_replies, of=shop)
        await say(front.database, shop, ref, row["created_at"] + timedelta(seconds=1))
        async with units_on(front.database).of(shop.tenant) as work:
            await start_reply(work, row["id"])
        assert "another answer was sent or approved meanwhile" in await agent.see(path)


async def test_a_sent_reply_is_part_of_the_thread(front: LiveEngine, shop: Shop) -> None:
    path = await _path(front, shop)
    async with at_pages(front, shop, Role.AGENT) as agent:
        await agent.send(path, f"{path}/reply", {"text": WORDS})
        row = await only_row(front.database, conversation_replies, of=shop)
        async with units_on(front.database).of(shop.tenant) as work:
            await start_reply(work, row["id"])
        page = await agent.see(path)
        assert page.count("je m&#39;en occupe") == 1
        assert f"{path}/undo" not in page
        assert "Assigned to you since" in page


async def test_a_note_is_shown_to_members_only(front: LiveEngine, shop: Shop) -> None:
    path = await _path(front, shop)
    async with at_pages(front, shop, Role.AGENT, language="fr") as agent:
        page = await agent.see(path, write="note")
        assert f'action="{path}/note"' in page
        assert "export des données du client" in page
        added = await agent.http.get(path, params={"write": "note"})
        assert added.status_code == 200
        answer = await agent.send(f"{path}?write=note", f"{path}/note", {"text": HOSTILE})
        shown = await agent.follow(answer)
        assert "Note ajoutée." in shown
        assert "Note interne" in shown
        assert HOSTILE not in shown
    assert (await only_row(front.database, conversation_notes, of=shop))["body"] == HOSTILE


async def test_a_refused_reply_is_kept_in_its_form(front: LiveEngine, shop: Shop) -> None:
    path = await _path(front, shop)
    async with at_pages(front, shop, Role.AGENT) as agent:
        hidden = {"latest_message": "01M7AAAAAAAAAAAAAAAAAAAAAA", "text": WORDS}
        refused = await agent.follow(await agent.send(path, f"{path}/reply", hidden))
        assert "je m&#39;en occupe" in refused
    assert await rows(front.database, conversation_replies, of=shop) == []


async def test_a_blank_text_is_refused(front: LiveEngine, shop: Shop) -> None:
    path = await _path(front, shop)
    async with at_pages(front, shop, Role.AGENT) as agent:
        for page, form in ((path, "reply"), (f"{path}?write=note", "note")):
            refused = await agent.send(page, f"{path}/{form}", {"text": " "})
            assert "It is sent" not in await agent.follow(refused)
    assert await rows(front.database, conversation_replies, of=shop) == []
    assert await rows(front.database, conversation_notes, of=shop) == []


async def test_a_viewer_has_no_form(front: LiveEngine, shop: Shop) -> None:
    path = await _path(front, shop)
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        page = await viewer.see(path)
        assert f"{path}/reply" not in page
        assert f"{path}/note" not in page


async def test_a_conversation_is_snoozed_assigned_and_tagged(front: LiveEngine, shop: Shop) -> None:
    path = await _path(front, shop)
    async with at_pages(front, shop, Role.AGENT) as agent:
        fields = {"status": "3", "assignee": agent.user_id, "tags": "vip, retour"}
        saved = await agent.follow(await agent.send(path, f"{path}/update", fields))
        for part in ("Saved.", "Snoozed", ">vip<", ">retour<"):
            assert part in saved
        refused = await agent.follow(await agent.send(path, f"{path}/update", {"status": "x"}))
        assert "Saved." not in refused
    row = await only_row(front.database, ai_conversations, of=shop)
    assert (row["assignee"], row["tags"]) == (agent.user_id, ["retour", "vip"])


async def test_the_form_has_the_agents_draft(front: LiveEngine, shop: Shop) -> None:
    draft = "Votre colis part demain."
    review_id = await open_review(front.database, shop, draft=draft)
    path = f"/app/conversations/{await converse(front.database, shop, review_id)}"
    async with at_pages(front, shop, Role.AGENT) as agent:
        page = await agent.see(path)
        assert f"{draft}</textarea>" in page
        assert "the agent’s draft" in page


async def test_a_draft_that_promises_a_refund_is_left_to_its_review(
    front: LiveEngine, shop: Shop
) -> None:
    """A reply does not execute actions."""
    review_id = await open_review(front.database, shop, plan=(refund(4990),))
    path = f"/app/conversations/{await converse(front.database, shop, review_id)}"
    async with at_pages(front, shop, Role.AGENT) as agent:
        assert "the agent’s draft" not in await agent.see(path)


async def test_a_template_is_inserted_after_what_is_written(front: LiveEngine, shop: Shop) -> None:
    path = await _path(front, shop)
    template = Template(
        id=new_ulid(),
        name="Suivi",
        category=Category.ORDER_STATUS,
        language="fr",
        body="Suivi : {{ tracking_url }}",
    )
    async with front.database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_template(template, utc_now())
    async with at_pages(front, shop, Role.AGENT) as agent:
        assert f'name="template" value="{template.id}"' in await agent.see(path)
        hidden = {"latest_message": new_ulid(), "text": "Bonjour,"}
        await agent.follow(await agent.send(path, f"{path}/reply", hidden))
        page = await agent.see(path, template=template.id)
        assert "Bonjour,\n\nSuivi : [tracking_url]</textarea>" in page
        assert "<code>[tracking_url]</code>" in page
        unfilled = await agent.send(path, f"{path}/reply", {"text": "Suivi : [tracking_url]"})
        refused = await agent.follow(unfilled)
        assert "There is a problem" in refused
        assert "<code>[tracking_url]</code>" in refused
        gone = await agent.http.get(path, params={"template": new_ulid()})
        assert gone.status_code == 404
    assert await rows(front.database, conversation_replies, of=shop) == []


async def test_a_template_is_filled_from_the_order_that_was_found(
    front: LiveEngine, shop: Shop
) -> None:
    """The order of the run's lookup, for a message that names none."""
    await traced_run(front.database, shop)
    talk = (await only_row(front.database, ai_conversations, of=shop))["id"]
    template = Template(
        id=new_ulid(),
        name="Suivi",
        category=Category.ORDER_STATUS,
        language="fr",
        body="Commande {{ order_number }}, {{ order_status }}.",
    )
    async with front.database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_template(template, utc_now())
    async with at_pages(front, shop, Role.AGENT) as agent:
        page = await agent.see(f"/app/conversations/{talk}", template=template.id)
    assert "Commande 1042, livrée.</textarea>" in page
