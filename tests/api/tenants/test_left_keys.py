"""An admin leaves: the managers receive an email with the keys that the admin created."""

import email.policy
from email import message_from_bytes

import pytest
from temporalio.testing import ActivityEnvironment

from activities.identity.left_keys import LeftKeyNotices
from adapters.system import new_ulid, utc_now
from domain.core.ports import Mailer
from domain.core.service_name import ServiceName
from domain.tenants.client import Role
from services.core.unit_of_work import UnitsOfWork
from tests.support.billing.usage import USAGE
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.units import Recorder
from tests.support.dashboard.visitors import at_pages
from tests.support.integrations.mailers import mailer_to, service_mails
from tests.support.servers.mail import MailServer
from tests.support.tenants.account import KEYS, new_member
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.own_database

LABEL = "Urgent: pay at https://evil.example"


async def sweep(front: LiveEngine, mailer: Mailer) -> None:
    notices = LeftKeyNotices(
        UnitsOfWork(front.database, Recorder(), utc_now, new_ulid),
        service_mails(front.database, mailer),
        dashboard_url="https://x.example/app",
        service=ServiceName(),
    )
    await ActivityEnvironment().run(notices.send)


async def made_keys(
    front: LiveEngine, headers: dict[str, str], number: int
) -> list[dict[str, str]]:
    made = []
    for _ in range(number):
        answer = (await front.http.post(KEYS, json={"label": LABEL}, headers=headers)).json()
        made.append({"id": answer["key"]["id"], "text": answer["key_value"]})
    return made


async def leave(front: LiveEngine, shop: Shop, headers: dict[str, str]) -> None:
    path = f"/api/dashboard/me/clients/{shop.client_id}"
    assert (await front.http.delete(path, headers=headers)).status_code == 204


async def works(front: LiveEngine, shop: Shop, key: str) -> bool:
    asked = await front.http.get(USAGE, params={"client_id": shop.client_id}, headers=bearer(key))
    return asked.status_code == 200


async def test_the_managers_get_the_keys_of_an_admin_who_leaves(
    front: LiveEngine, shop: Shop, owner: dict[str, str], mail: MailServer
) -> None:
    """Attack: an admin creates a key, leaves, and continues to use the key."""
    theirs = bearer(session_token(front.settings, await new_member(front, shop, Role.ADMIN)))
    await new_member(front, shop, Role.AGENT)
    ended, kept, other = await made_keys(front, theirs, 3)
    await front.http.delete(f"{KEYS}/{ended['id']}", headers=theirs)
    await leave(front, shop, theirs)
    assert await works(front, shop, kept["text"])

    await sweep(front, mailer_to("smtp://127.0.0.1:1"))
    assert mail.mails == []
    for _ in range(2):
        await sweep(front, mailer_to(mail.url))

    (sent,) = mail.mails
    assert sent["To"] == f"{shop.client_id.lower()}@example.com"
    text = plain_text(message_from_bytes(sent.as_bytes(), policy=email.policy.default))
    assert "https://x.example/app/members" in text
    for key in (kept, other):
        assert text.count(f"- {key['text'][:8]}…") == 2
    assert ended["text"][:8] not in text
    for secret in (LABEL, "evil.example", kept["text"], "Boutique"):
        assert secret not in text

    async with at_pages(front, shop) as visitor:
        page = await visitor.see("/app/members")
        assert f"/app/keys/{kept['id']}" in page
    for key in (kept, other):
        done = await front.http.delete(f"{KEYS}/{key['id']}", headers=owner)
        assert done.status_code == 204
        assert not await works(front, shop, key["text"])
    assert await works(front, shop, shop.key)


async def test_no_mail_without_a_key_that_works(
    front: LiveEngine, shop: Shop, owner: dict[str, str], mail: MailServer
) -> None:
    """A member without keys leaves, and an owner revokes another leaver's key before the sweep."""
    without = bearer(session_token(front.settings, await new_member(front, shop, Role.ADMIN)))
    await leave(front, shop, without)
    theirs = bearer(session_token(front.settings, await new_member(front, shop, Role.ADMIN)))
    (key,) = await made_keys(front, theirs, 1)
    await leave(front, shop, theirs)
    await front.http.delete(f"{KEYS}/{key['id']}", headers=owner)

    await sweep(front, mailer_to(mail.url))

    assert mail.mails == []


async def test_a_key_that_was_kept_by_choice_needs_no_mail(
    front: LiveEngine, shop: Shop, owner: dict[str, str], mail: MailServer
) -> None:
    user_id = await new_member(front, shop, Role.ADMIN)
    await made_keys(front, bearer(session_token(front.settings, user_id)), 1)
    path = f"/api/dashboard/members/{user_id}"
    kept = await front.http.delete(path, params={"keys": "keep"}, headers=owner)
    assert kept.status_code == 204

    await sweep(front, mailer_to(mail.url))

    assert mail.mails == []
