"""The page of the audit log."""

import re

from adapters.system import new_ulid, utc_now
from domain.audit.entry import Note
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from store.audit.audit_log import AuditLog
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop

ARTICLE = {"title": "Delivery <b>times</b>", "body": "3 days.", "language": "en"}


async def test_an_entry_names_its_record_until_it_is_deleted(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        saved = await owner.send("/app/knowledge/new", "/app/knowledge", ARTICLE)
        article = saved.headers["location"].partition("?")[0]
        before = await owner.see("/app/audit")
        await owner.send(article, f"{article}/delete")
        after = await owner.see("/app/audit")

    named = "Delivery &lt;b&gt;times&lt;/b&gt;"
    assert re.search(rf'<a href="{article}">Article</a>: <span dir="auto">{named}</span>', before)
    assert named not in after


async def test_actors_are_named_in_plain_words(front: LiveEngine, shop: Shop) -> None:
    """The page contains no operator's login, no id and no digest."""
    gone, digest = new_ulid(), "sha256:0123456789abcdef"
    notes = [
        Note(Actor.operator("operator:root"), "plan changed", {"owner_user_id": "operator:root"}),
        Note(Actor.operator(shop.owner_user_id, login="operator:root"), "member left", {}),
        Note(Actor.person(gone, Role.AGENT), "note added", {"member_id": digest}),
        Note(Actor.key(shop.key_id), "ticket typed", {}),
        Note(Actor.system("payments"), "credits paid for", {}),
    ]
    async with front.database.tenant(shop.tenant) as connection:
        await AuditLog(connection, shop.tenant).append(notes, utc_now(), new_ulid)
    async with at_pages(front, shop) as owner:
        page = await owner.see("/app/audit")
        french = await owner.http.get("/app/audit", headers={"accept-language": "fr"})
    shown = page.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = [re.sub(r"<[^>]+>", " ", row) for row in shown.split("</tr>")[:-1]]
    assert len(rows) == len(notes)
    for row, words in zip(
        rows,
        (
            "Service",
            "API key",
            "Someone outside the team",
            "through the operator",
            "Operator of this installation",
        ),
        strict=True,
    ):
        assert words in " ".join(row.split())
    assert "Owner: the operator of this installation" in " ".join(rows[4].split())
    assert "Exploitant de cette installation" in french.text
    for hidden in ("operator:root", "root", gone, digest, "payments"):
        assert hidden not in " ".join(rows)


async def test_the_log_is_filtered_and_sorted(front: LiveEngine, shop: Shop) -> None:
    notes = [
        Note(Actor.operator("operator:root"), "plan changed", {}),
        Note(Actor.person(shop.owner_user_id, Role.OWNER), "API key used in the widget", {}),
        Note(Actor.person(shop.owner_user_id, Role.OWNER), "sign-in link made", {}),
    ]
    async with front.database.tenant(shop.tenant) as connection:
        await AuditLog(connection, shop.tenant).append(notes, utc_now(), new_ulid)
    texts = ["Sign-in link created", "API key used in the chat", "Plan changed"]

    async with at_pages(front, shop) as owner:

        async def listed(**query: str) -> list[str]:
            body = (await owner.see("/app/audit", **query)).partition("<tbody>")[2]
            cells = re.findall(r'<a href="/app/audit\?action=[a-z_]+">([^<]+)</a>', body)
            return [str(cell) for cell in cells]

        assert await listed() == texts
        assert await listed(order="oldest") == texts[::-1]
        assert await listed(kind="operator") == texts[2:]
        assert await listed(action="sign_in_link_made") == texts[:1]
        assert await listed(action="api_key_used_in_the_widget", kind="person") == texts[1:2]
        page = await owner.see("/app/audit", order="oldest", limit="2")
        further = re.search(r'href="(/app/audit\?[^"]*cursor=[^"]*)"', page)
        assert further is not None
        assert "order=oldest" in further.group(1)
        assert await listed(order="oldest", cursor="2", limit="2") == texts[:1]
        assert 'href="?limit=2&amp;order=newest"' in page or 'href="?limit=2&order=newest"' in page
