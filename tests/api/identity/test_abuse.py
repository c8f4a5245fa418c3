"""Abuse of /api/auth without a mailbox, or against another person's mailbox."""

import dataclasses
from datetime import timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from domain.identity.code import (
    CODES_A_DAY,
    CODES_A_REQUESTER,
    CODES_AT_MOST,
    TRIES,
    TRIES_ELSEWHERE,
)
from domain.intake.rate_limit import LimitScope, limits
from store.identity.tables import sign_in_codes
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.identity.sign_in import (
    SIGNUP,
    VERIFY,
    ask,
    calling_from,
    code_for,
    code_in,
    mail_to,
    new_address,
    sign_up,
    verify,
)
from tests.support.servers.mail import MailServer
from tests.support.tenants.sessions import external
from tests.support.tenants.shop import Shop


async def ask_from(engine: LiveEngine, address: str, email: str, **more: str) -> httpx.Response:
    async with calling_from(engine, address) as client:
        return await client.post(SIGNUP, json={"email": email, **more})


async def guess_from(engine: LiveEngine, address: str, email: str, code: str) -> httpx.Response:
    async with calling_from(engine, address) as client:
        return await client.post(VERIFY, json={"email": email, "code": code})


async def admitted(engine: LiveEngine, email: str) -> list[Any]:
    stored = await rows(engine.database, sign_in_codes, email=email)
    return [one for one in stored if one["admitted"]]


def limit_accounts(engine: LiveEngine, an_hour: int) -> None:
    resources = engine.app.state.resources
    limits = resources.settings.limits.model_copy(update={"accounts_an_hour": an_hour})
    settings = resources.settings.model_copy(update={"limits": limits})
    engine.app.state.resources = dataclasses.replace(resources, settings=settings)


async def age_codes(engine: LiveEngine, email: str, by: timedelta) -> None:
    async with engine.app.state.resources.database.service() as connection:
        await connection.execute(
            sa.update(sign_in_codes)
            .where(sign_in_codes.c.email == email)
            .values(created_at=sign_in_codes.c.created_at - by)
        )


async def test_five_requests_a_minute_from_one_network_address(front: LiveEngine) -> None:
    answers = [await ask_from(front, "198.51.100.1", new_address()) for _ in range(6)]

    assert [answer.status_code for answer in answers] == [202] * 5 + [429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    guesses = [await guess_from(front, "198.51.100.1", new_address(), "123456") for _ in range(6)]
    assert [answer.status_code for answer in guesses] == [401] * 5 + [429]
    assert 1 <= int(guesses[-1].headers["retry-after"]) <= 60


async def test_strangers_do_not_lock_an_owner_out_by_asking_for_codes(
    engine: LiveEngine, mail: MailServer
) -> None:
    """Attack: ten requests for an address used to block its codes for a day."""
    account = await sign_up(engine, mail)
    for network in range(CODES_AT_MOST + 5):
        await ask_from(engine, f"198.51.{network}.7", account.email)
    before = len(await admitted(engine, account.email))
    assert before == 1 + CODES_AT_MOST

    code = await code_for(engine, mail, account.email, number=before + 1)

    assert (await verify(engine, account.email, code)).status_code == 200


async def test_an_owner_on_a_new_network_gets_a_code_after_the_days_codes_are_used_up(
    engine: LiveEngine, mail: MailServer
) -> None:
    account = await sign_up(engine, mail)
    for network in (1, 2):
        for _ in range(CODES_A_REQUESTER):
            await ask_from(engine, f"198.51.{network}.7", account.email)
    assert len(await admitted(engine, account.email)) == 1 + CODES_A_DAY

    assert (await ask_from(engine, "203.0.113.9", account.email)).status_code == 202

    (own,) = await rows(
        engine.database, sign_in_codes, email=account.email, network="203.0.113.0/24"
    )
    assert own["admitted"]
    await engine.client.get_workflow_handle(f"mail/{own['id']}").result()
    mailed = await mail_to(mail, account.email, number=2 + CODES_A_DAY)
    answer = await guess_from(engine, "203.0.113.9", account.email, code_in(mailed))
    assert answer.status_code == 200


async def test_a_known_address_gets_one_code_an_hour_whoever_asks(
    front: LiveEngine, shop: Shop
) -> None:
    email = f"{shop.client_id.lower()}@example.com"
    for network in range(CODES_AT_MOST + 3):
        await ask_from(front, f"198.51.{network}.7", email)
    assert len(await admitted(front, email)) == CODES_AT_MOST
    await age_codes(front, email, timedelta(hours=1))

    await ask_from(front, "198.51.200.7", email)
    await ask_from(front, "198.51.201.7", email)

    assert len(await admitted(front, email)) == CODES_AT_MOST + 1


async def test_a_flood_from_many_networks_stores_nothing_and_locks_no_owner_out(
    front: LiveEngine, shop: Shop
) -> None:
    """Attack: each request from an IPv6 network stored a row and started a workflow."""
    known, unknown = f"{shop.client_id.lower()}@example.com", new_address()
    resources = front.app.state.resources
    for _ in range(limits(dry_runs=1)[LimitScope.SIGNUP_ANYWHERE].quota):
        await resources.limiter.check(LimitScope.SIGNUP_ANYWHERE, "", resources.now())

    for number, email in enumerate((known, unknown, known, unknown)):
        answer = await ask_from(front, f"198.51.{number}.7", email, brand_name="Maison Lin")
        assert answer.status_code == 202

    assert len(await admitted(front, known)) == 1
    assert len(await rows(front.database, sign_in_codes, email=known)) == 1
    assert await rows(front.database, sign_in_codes, email=unknown) == []


async def test_one_network_gets_few_codes_for_one_address(front: LiveEngine, shop: Shop) -> None:
    """The caller does not learn of it, and a refused code is neither emailed nor valid."""
    for email in (new_address(), f"{shop.client_id.lower()}@example.com"):
        for _ in range(CODES_A_REQUESTER + 2):
            front.app.state.resources.limiter.counter._hits.clear()
            assert (await ask(front, email, "Maison Lin")).status_code == 202
        stored = await rows(front.database, sign_in_codes, email=email)
        refused = [one for one in stored if not one["admitted"]]
        assert (len(stored) - len(refused), len(refused)) == (CODES_A_REQUESTER, 2)
        assert {(one["sealed_code"], one["tries_left"]) for one in refused} == {(None, 0)}


async def test_strangers_do_not_lock_an_owner_out_by_guessing(
    engine: LiveEngine, mail: MailServer
) -> None:
    """Attack: wrong codes from other networks used to invalidate the owner's code and use up the
    minute's attempts."""
    account = await sign_up(engine, mail)
    code = await code_for(engine, mail, account.email, number=2)
    wrong = f"{(int(code) + 1) % 1_000_000:06d}"
    for network in range(2 * TRIES):
        answer = await guess_from(engine, f"198.51.{network}.7", account.email, wrong)
        assert answer.status_code == 401
    assert (await guess_from(engine, "198.51.99.7", account.email, code)).status_code == 401

    assert (await verify(engine, account.email, code)).status_code == 200


async def test_guessing_from_many_networks_ends_with_the_codes_tries(
    engine: LiveEngine, mail: MailServer
) -> None:
    email = new_address()
    code = await code_for(engine, mail, email, "Maison Lin")
    wrong = f"{(int(code) + 1) % 1_000_000:06d}"
    for network in range(TRIES_ELSEWHERE):
        answer = await guess_from(engine, f"198.51.{network}.7", email, wrong)
        assert answer.status_code == 401
    for _ in range(TRIES):
        engine.app.state.resources.limiter.counter._hits.clear()
        assert (await verify(engine, email, wrong)).status_code == 401
    engine.app.state.resources.limiter.counter._hits.clear()

    assert (await verify(engine, email, code)).status_code == 401
    (row,) = await rows(engine.database, sign_in_codes, email=email)
    assert (row["tries_left"], row["tries_elsewhere"], row["used_at"]) == (0, 0, None)


@pytest.mark.own_database
async def test_codes_that_nobody_uses_do_not_shut_sign_up(
    idle_engine: LiveEngine, mail: MailServer
) -> None:
    """Attack: throwaway addresses request codes until the hour's sign-ups are used up."""
    engine = idle_engine
    limit_accounts(engine, 3)
    async with engine.working():
        for number in range(12):
            await ask_from(engine, f"198.51.{number}.7", new_address(), brand_name="Throwaway")

        account = await sign_up(engine, mail)

    assert account.client_id


@pytest.mark.own_database
async def test_no_more_accounts_are_opened_than_an_hour_may_have(
    idle_engine: LiveEngine, mail: MailServer
) -> None:
    """Created accounts count. An existing user can still sign in, and the deferred code remains
    valid."""
    engine = idle_engine
    limit_accounts(engine, 20)
    async with engine.working():
        first, second = await sign_up(engine, mail), await sign_up(engine, mail)
        email = new_address()
        code = await code_for(engine, mail, email, "Atelier Nord")
        held = await verify(engine, email, code)  # the third from one network
        assert (held.status_code, held.json()["code"]) == (429, "too_many_accounts")
        assert held.headers["retry-after"] == "3600"
        elsewhere = await guess_from(engine, "198.51.100.7", email, code)
        assert elsewhere.status_code == 200
        engine.app.state.resources.limiter.counter._hits.clear()
        again = await sign_up(engine, mail, first.email, None, number=2)
        assert again.client_id == first.client_id
        limit_accounts(engine, 3)
        full = new_address()
        code = await code_for(engine, mail, full, "Atelier Sud")
        assert (await guess_from(engine, "192.0.2.9", full, code)).status_code == 429
    assert second.client_id


async def test_a_shops_name_cannot_write_into_the_mail(
    engine: LiveEngine, mail: MailServer
) -> None:
    email = new_address()

    await ask(engine, email, "You won!\r\nBcc: eve@evil.example\r\n\r\nhttps://evil.example")

    told = await mail_to(mail, email)
    assert told["Bcc"] is None
    assert "evil" not in told.as_string()


async def test_another_identity_provider_turns_it_off(front: LiveEngine) -> None:
    resources = front.app.state.resources
    elsewhere = external("https://login.example/keys")
    front.app.state.resources = dataclasses.replace(
        resources, settings=elsewhere, session_keys=None
    )
    for path in ("/api/auth/signup", "/api/auth/verify", "/api/auth/refresh", "/api/auth/sign-out"):
        answer = await front.http.post(path, json={})
        assert (answer.status_code, answer.json()["code"]) == (404, "route_not_found")
    assert (await front.http.get("/app/sign-in")).status_code == 404
