"""A browser session: fixation, theft, CSRF, lifetimes."""

import dataclasses
import re
from datetime import datetime, timedelta

import httpx
import pytest
import sqlalchemy as sa

from domain.identity.session import IDLE, LONGEST, SessionKind
from store.identity.tables import sessions
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.identity.consent import browser_of
from tests.support.identity.sign_in import (
    SIGN_OUT,
    browser,
    csrf_in,
    new_address,
    sign_in_with,
)
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop


async def let_pass(engine: LiveEngine, by: timedelta, *, rested: bool, email: str) -> None:
    """Move the session of an address into the past; `rested`: it was not used in between."""
    times = sessions.c
    moved = {"created_at": times.created_at - by}
    async with engine.app.state.resources.database.service() as connection:
        await connection.execute(
            sa.update(sessions)
            .where(
                times.user_id
                == sa.text("(SELECT id FROM users WHERE email = :email)").bindparams(email=email)
            )
            .values(moved | ({"used_at": times.used_at - by} if rested else {}))
        )


async def signed_in(client: httpx.AsyncClient) -> bool:
    return (await client.get("/app")).status_code == 200


async def test_a_browser_signs_up_sees_its_account_and_leaves(
    engine: LiveEngine, mail: MailServer
) -> None:
    email = new_address()
    async with browser(engine) as client:
        done = await sign_in_with(client, mail, email, "Maison <b>Lin</b>")
        assert (done.status_code, done.headers["location"]) == (303, "/app")
        home = (await client.get("/app/me")).text
        assert email in home
        assert "Maison &lt;b&gt;Lin&lt;/b&gt;" in home

        out = await client.post("/app/sign-out", data={"csrf": csrf_in(home)})

        assert (out.status_code, out.headers["location"]) == (303, "/app/sign-in")
        assert not await signed_in(client)


@pytest.mark.parametrize(
    ("base_url", "name", "secure"),
    [
        ("http://127.0.0.1", "session", False),
        ("https://engine.example", "__Host-session", True),
        ("http://engine.example", "__Host-session", True),
    ],
)
async def test_the_cookies_attributes(
    engine: LiveEngine, mail: MailServer, base_url: str, name: str, *, secure: bool
) -> None:
    async with browser(engine, base_url=base_url) as client:
        done = await sign_in_with(client, mail, new_address(), "Maison Lin")

    value, *attributes = done.headers["set-cookie"].split("; ")
    assert re.fullmatch(rf"{name}=ws_[A-Za-z0-9_-]{{43}}", value)
    assert {"HttpOnly", "SameSite=lax", "Path=/", "Max-Age=2592000"} <= {*attributes}
    assert ("Secure" in attributes) is secure
    assert not [one for one in attributes if one.lower().startswith("domain")]


async def test_the_secret_is_not_stored(engine: LiveEngine, mail: MailServer) -> None:
    email = new_address()
    async with browser(engine) as client:
        await sign_in_with(client, mail, email, "Maison Lin")
        secret = client.cookies["session"]

    kept = [row for row in await rows(engine.database, sessions) if row["agent"] == "Browser/1.0"]
    assert kept
    assert not any(secret.encode() in row["digest"] for row in kept)


async def test_fixation_a_cookie_from_before_is_worth_nothing_after(
    engine: LiveEngine, mail: MailServer
) -> None:
    """An attacker's own session, planted in the victim's browser."""
    async with browser(engine) as attacker, browser(engine) as victim:
        await sign_in_with(attacker, mail, new_address(), "Evil")
        planted = attacker.cookies["session"]
        victim.cookies.set("session", planted, domain="127.0.0.1")

        await sign_in_with(victim, mail, new_address(), "Maison Lin")

        given = [one.value for one in victim.cookies.jar if one.domain.startswith("127.0.0.1")]
        assert planted not in given
        assert not await signed_in(attacker)


async def test_theft_a_stolen_cookie_dies_with_signing_out_everywhere(
    engine: LiveEngine, mail: MailServer
) -> None:
    async with browser(engine) as owner, browser(engine) as thief:
        await sign_in_with(owner, mail, new_address(), "Maison Lin")
        thief.cookies.set("session", owner.cookies["session"], domain="127.0.0.1")
        assert await signed_in(thief)
        page = (await owner.get("/app/sessions")).text

        out = await owner.post("/app/sessions", data={"csrf": csrf_in(page)})

        assert out.headers["location"] == "/app/sign-in"
        assert not await signed_in(thief)
        assert not await signed_in(owner)


async def test_sessions_end_one_by_one_and_only_ones_own(
    engine: LiveEngine, mail: MailServer
) -> None:
    email = new_address()
    async with browser(engine) as here, browser(engine) as there, browser(engine) as stranger:
        await sign_in_with(here, mail, email, "Maison Lin")
        await sign_in_with(there, mail, email, number=2)
        await sign_in_with(stranger, mail, new_address(), "Other")
        page = (await here.get("/app/sessions")).text
        # The prefix of the user's own session comes before its id.
        other = next(one for one in page.split("<li>")[1:] if "This device" not in one)
        form = {"csrf": csrf_in(page)}

        foreign = _session_in((await stranger.get("/app/sessions")).text)
        refused = await here.post("/app/sessions", data={**form, "session_id": foreign})
        ended = await here.post("/app/sessions", data={**form, "session_id": _session_in(other)})

        assert refused.status_code == 404
        assert ended.headers["location"] == "/app/sessions"
        assert [await signed_in(one) for one in (here, there, stranger)] == [True, False, True]


def _session_in(page: str) -> str:
    found = re.search(r'name="session_id" value="([^"]+)"', page)
    assert found
    return found.group(1)


@pytest.mark.parametrize("over", ["idle", "absolute"])
async def test_a_session_does_not_last_for_ever(
    engine: LiveEngine, mail: MailServer, over: str
) -> None:
    email, kind = new_address(), SessionKind.BROWSER
    by = IDLE[kind] if over == "idle" else LONGEST[kind]
    async with browser(engine) as client:
        await sign_in_with(client, mail, email, "Maison Lin")
        await let_pass(engine, by - timedelta(minutes=1), rested=over == "idle", email=email)
        assert await signed_in(client)
        # Its use was recorded, so the interval starts again.
        again = by if over == "idle" else timedelta(minutes=1)
        await let_pass(engine, again, rested=over == "idle", email=email)

        assert not await signed_in(client)


async def test_its_use_is_noted_once_a_minute(engine: LiveEngine, mail: MailServer) -> None:
    email = new_address()
    async with browser(engine) as client:
        await sign_in_with(client, mail, email, "Maison Lin")
        await let_pass(engine, timedelta(seconds=61), rested=True, email=email)
        before = await _used_at(engine, email)
        await client.get("/app")
        noted = await _used_at(engine, email)
        await client.get("/app")

        assert noted > before
        assert await _used_at(engine, email) == noted


async def _used_at(engine: LiveEngine, email: str) -> datetime:
    async with engine.database.reading_across() as connection:
        found: datetime | None = await connection.scalar(
            sa.text(
                "SELECT used_at FROM sessions JOIN users ON users.id = user_id WHERE email = :email"
            ).bindparams(email=email)
        )
    assert found is not None
    return found


CROSS_SITE = (
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "none"},
    {"sec-fetch-site": "", "origin": "https://evil.example"},
    {"sec-fetch-site": "", "origin": "null"},
)


@pytest.mark.parametrize("headers", CROSS_SITE)
async def test_csrf_another_sites_forms_are_refused(
    engine: LiveEngine, mail: MailServer, headers: dict[str, str]
) -> None:
    async with browser(engine) as client:
        await sign_in_with(client, mail, new_address(), "Maison Lin")
        csrf = csrf_in((await client.get("/app/me")).text)
        forms: dict[str, dict[str, str]] = {
            "/app/sign-out": {"csrf": csrf},
            "/app/sessions": {"csrf": csrf},
            # Otherwise a victim could be signed in as the attacker.
            "/app/sign-in": {"email": new_address()},
            "/app/verify": {"email": new_address(), "code": "123456"},
        }
        for path, form in forms.items():
            answer = await client.post(path, data=form, headers=headers)
            assert answer.status_code == 403, path
        by_script = await client.post(SIGN_OUT, json={"everywhere": True}, headers=headers)
        assert by_script.status_code == 403

        assert await signed_in(client)


async def test_csrf_a_browser_that_tells_only_an_origin(front: LiveEngine, shop: Shop) -> None:
    """Like browsers without Sec-Fetch-Site."""
    mine = await browser_of(front, shop.owner_user_id)
    async with browser(front) as client:
        client.cookies.set("session", mine.cookie or "", domain="127.0.0.1")
        form = {"csrf": csrf_in((await client.get("/app/me")).text)}
        del client.headers["sec-fetch-site"]
        foreign: tuple[dict[str, str], ...] = (
            {},
            {"host": ""},
            {"origin": "null"},
            {"origin": "https://evil.example"},
            {"origin": "http://127.0.0.1.evil.example"},
            {"origin": "http://127.0.0.1:1"},
        )
        for headers in foreign:
            refused = await client.post("/app/sign-out", data=form, headers=headers)
            assert refused.status_code == 403, headers

        own = {"origin": "http://127.0.0.1"}
        assert (await client.post("/app/sign-out", data=form, headers=own)).status_code == 303


async def test_a_proxy_that_asks_for_this_machine_does_not_loosen_the_cookie(
    front: LiveEngine, shop: Shop
) -> None:
    """Some proxies put their own target into Host. PUBLIC_URL is the address that users see."""
    resources = front.app.state.resources
    server = resources.settings.server.model_copy(update={"public_url": "https://engine.example"})
    settings = resources.settings.model_copy(update={"server": server})
    front.app.state.resources = dataclasses.replace(resources, settings=settings)
    mine = await browser_of(front, shop.owner_user_id)
    async with browser(front) as client:
        plain = await client.get("/app/me", headers={"cookie": f"session={mine.cookie}"})
        cookie = {"cookie": f"__Host-session={mine.cookie}"}
        held = await client.get("/app/me", headers=cookie)
        assert (plain.status_code, held.status_code) == (303, 200)

        form = {"csrf": csrf_in(held.text)}
        out = await client.post("/app/sign-out", data=form, headers=cookie)

    assert out.headers["set-cookie"].startswith('__Host-session="";')
    assert "Secure" in out.headers["set-cookie"].split("; ")


async def test_csrf_a_form_needs_the_sessions_own_token(
    engine: LiveEngine, mail: MailServer
) -> None:
    async with browser(engine) as client, browser(engine) as attacker:
        await sign_in_with(client, mail, new_address(), "Maison Lin")
        await sign_in_with(attacker, mail, new_address(), "Evil")
        theirs = csrf_in((await attacker.get("/app/me")).text)
        for form in ({"other": ""}, {"csrf": ""}, {"csrf": theirs}):
            answer = await client.post("/app/sign-out", data=form)
            assert answer.status_code == 403, form

        assert await signed_in(client)


async def test_a_browsers_session_is_signed_out_by_the_api_too(
    engine: LiveEngine, mail: MailServer
) -> None:
    async with browser(engine) as client:
        await sign_in_with(client, mail, new_address(), "Maison Lin")

        out = await client.post(SIGN_OUT, json={})

        assert out.status_code == 204
        assert not await signed_in(client)
