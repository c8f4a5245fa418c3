"""A member's email notifications over HTTP and on the pages, and the link that turns them off."""

import re

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid
from domain.reviews.notification import NotificationMode, NotificationSettings
from domain.reviews.unsubscribe import UNSUBSCRIBE_PATH, Subscriber, unsubscribe_token
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.reviews.notifications import set_notifications
from store.audit.tables import audit_entries
from store.reviews.tables import member_notifications
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, row_counts, rows
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.reviews.dashboard import code, person
from tests.support.tenants.shop import Shop, open_shop

NOTIFICATIONS = "/api/dashboard/notifications"
ME = "/app/me"
FORM = "/app/me/notifications"
NONE = {"mode": "none", "digest_hour": 9, "time_zone": "Europe/Paris"}


async def test_a_choice_is_the_members_own(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    assert (await front.http.get(NOTIFICATIONS, headers=owner)).json() == NONE
    agent = await person(front, shop, Role.AGENT)

    answer = await front.http.put(
        NOTIFICATIONS, json={"mode": "digest", "digest_hour": 7}, headers=owner
    )

    chosen = {"mode": "digest", "digest_hour": 7, "time_zone": "Europe/Paris"}
    assert (answer.status_code, answer.json()) == (200, chosen)
    assert (await front.http.get(NOTIFICATIONS, headers=owner)).json() == chosen
    assert (await front.http.get(NOTIFICATIONS, headers=agent)).json() == NONE
    row = await only_row(front.database, member_notifications, client_id=shop.client_id)
    assert row["user_id"] == shop.owner_user_id
    assert row["digest_due_at"] is not None
    again = await front.http.put(
        NOTIFICATIONS, json={"mode": "digest", "digest_hour": 7}, headers=owner
    )
    assert again.status_code == 200
    (entry,) = await rows(front.database, audit_entries, of=shop)
    assert entry["what"] == "notifications changed"
    assert entry["ids"] == {"mode": "digest", "digest_hour": "7"}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"mode": "often"},
        {"mode": "digest", "digest_hour": 24},
        {"mode": "digest", "digest_hour": -1},
        {"mode": "none", "user_id": "x"},
    ],
)
async def test_an_invalid_choice(
    front: LiveEngine, shop: Shop, owner: dict[str, str], body: dict[str, object]
) -> None:
    answer = await front.http.put(NOTIFICATIONS, json=body, headers=owner)

    assert code(answer) == (400, "invalid_body")
    assert await rows(front.database, member_notifications, of=shop) == []


async def test_a_viewer_sees_but_does_not_choose(front: LiveEngine, shop: Shop) -> None:
    viewer = await person(front, shop, Role.VIEWER)

    assert (await front.http.get(NOTIFICATIONS, headers=viewer)).json() == NONE
    answer = await front.http.put(NOTIFICATIONS, json={"mode": "at_once"}, headers=viewer)
    assert code(answer) == (403, "role_required")


async def test_the_profile_page(front: LiveEngine, shop: Shop) -> None:
    """Without a script."""
    async with at_pages(front, shop, Role.AGENT, language="fr") as visitor:
        page = await visitor.see(ME)
        assert "Notifications par e-mail" in page
        assert "Fuseau horaire : Europe/Paris" in re.sub(r"\s", " ", page)

        done = await visitor.send(ME, FORM, {"mode": "at_once", "digest_hour": "8"})
        assert "Enregistré." in await visitor.follow(done)

        row = await only_row(front.database, member_notifications, client_id=shop.client_id)
        assert (row["user_id"], row["mode"], row["digest_hour"], row["language"]) == (
            visitor.user_id,
            "at_once",
            8,
            "fr",
        )
        assert re.search(r'value="at_once" selected', await visitor.see(ME))
        for wrong in ({"mode": "often"}, {"mode": "digest", "digest_hour": "8.5"}):
            refused = await visitor.send(ME, FORM, {"digest_hour": "8", **wrong})
            assert refused.status_code == 303
            assert "Enregistré." not in await visitor.follow(refused)
        assert (await only_row(front.database, member_notifications, of=shop))["mode"] == "at_once"


async def test_a_viewers_profile_has_no_form(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop, Role.VIEWER) as visitor:
        page = await visitor.see(ME)

    with pytest.raises(AssertionError):
        form_of(page, FORM)


async def test_a_member_of_two_clients_chooses_for_each(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database, brand="Maison Lin")
    async with front.database.service() as connection:
        await connection.execute(
            sa.text(
                "INSERT INTO client_users (client_id, user_id, role, created_at) "
                "VALUES (:client, :user, 'agent', now())"
            ),
            {"client": other.client_id, "user": shop.owner_user_id},
        )
    async with at_pages(front, shop) as visitor:
        await visitor.see(f"/app?client_id={other.client_id}")
        assert "For Maison Lin." in await visitor.see(ME)
        await visitor.send(ME, FORM, {"mode": "digest", "digest_hour": "8"})

    row = await only_row(front.database, member_notifications, user_id=shop.owner_user_id)
    assert row["client_id"] == other.client_id


def link(front: LiveEngine, shop: Shop, user_id: str) -> str:
    token = unsubscribe_token(front.app.state.resources.sealer, Subscriber(shop.client_id, user_id))
    return f"{UNSUBSCRIBE_PATH}/{token}"


async def chosen(front: LiveEngine, shop: Shop) -> None:
    actor = Actor.person(shop.owner_user_id, Role.OWNER)
    async with front.app.state.resources.work.of(shop.tenant) as work:
        await set_notifications(
            work, actor, NotificationSettings(mode=NotificationMode.AT_ONCE, digest_hour=6)
        )


async def test_the_link_changes_nothing_until_the_button_is_clicked(
    front: LiveEngine, shop: Shop
) -> None:
    await chosen(front, shop)
    before = await row_counts(front.database, of=shop)

    page = await front.http.get(link(front, shop, shop.owner_user_id))

    assert page.status_code == 200
    assert "<button>" in page.text
    assert "Boutique" not in page.text
    assert "set-cookie" not in page.headers
    assert await row_counts(front.database, of=shop) == before
    assert (await only_row(front.database, member_notifications, of=shop))["mode"] == "at_once"

    done = await front.http.post(link(front, shop, shop.owner_user_id))
    assert done.status_code == 200
    row = await only_row(front.database, member_notifications, of=shop)
    assert (row["mode"], row["digest_hour"]) == ("none", 6)


@pytest.mark.parametrize("form", ["urlencoded", "multipart"])
async def test_one_click(front: LiveEngine, shop: Shop, form: str) -> None:
    """A mail program posts without a session, an origin or a cookie (RFC 8058), and may repeat."""
    await chosen(front, shop)
    field = {"List-Unsubscribe": "One-Click"}
    body = {"data": field} if form == "urlencoded" else {"files": {**field}}

    for _ in range(2):
        answer = await front.http.post(link(front, shop, shop.owner_user_id), **body)  # type: ignore[arg-type]
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers

    assert (await only_row(front.database, member_notifications, of=shop))["mode"] == "none"
    audited = [
        one
        for one in await rows(front.database, audit_entries, of=shop)
        if one["actor_kind"] == "system"
    ]
    (entry,) = audited
    assert (entry["what"], entry["ids"]["mode"], entry["ids"]["member_id"]) == (
        "notifications changed",
        "none",
        shop.owner_user_id,
    )


async def test_the_link_turns_off_only_this_member_and_client(
    front: LiveEngine, shop: Shop
) -> None:
    other = await open_shop(front.database)
    await chosen(front, shop)
    await chosen(front, other)

    await front.http.post(link(front, shop, shop.owner_user_id))

    found = [
        (await only_row(front.database, member_notifications, of=one))["mode"]
        for one in (shop, other)
    ]
    assert found == ["none", "at_once"]


@pytest.mark.parametrize("change", ["cut", "other member", "rubbish"])
async def test_a_link_that_is_not_ours(front: LiveEngine, shop: Shop, change: str) -> None:
    await chosen(front, shop)
    ours = link(front, shop, shop.owner_user_id)
    theirs = link(front, shop, new_ulid())
    path = {
        "cut": ours[:-2],
        # The signature of one member with the name of another.
        "other member": theirs[:60] + ours[60:],
        "rubbish": f"{UNSUBSCRIBE_PATH}/x",
    }[change]

    for answer in (await front.http.get(path), await front.http.post(path)):
        assert answer.status_code == 404
        assert "set-cookie" not in answer.headers
    assert (await only_row(front.database, member_notifications, of=shop))["mode"] == "at_once"


async def test_a_user_who_left_learns_nothing(front: LiveEngine, shop: Shop) -> None:
    answer = await front.http.post(link(front, shop, new_ulid()))

    assert answer.status_code == 200
    assert await rows(front.database, member_notifications, of=shop) == []
