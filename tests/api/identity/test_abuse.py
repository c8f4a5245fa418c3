"""What somebody can do with /api/auth who has no mailbox, or wants another one's."""

import dataclasses
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from domain.identity.code import CODES_A_DAY, TRIES
from store.identity.tables import sign_in_codes
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.identity.sign_in import (
    REFRESH,
    SIGNUP,
    VERIFY,
    ask,
    calling_from,
    code_for,
    mail_to,
    new_address,
    sign_up,
)
from tests.support.servers.mail import MailServer
from tests.support.tenants.sessions import external


async def ask_from(engine: LiveEngine, network: int, email: str, **more: str) -> httpx.Response:
    async with calling_from(engine, f"198.51.100.{network}") as client:
        return await client.post(SIGNUP, json={"email": email, **more})


async def guess_from(engine: LiveEngine, network: int, email: str, code: str) -> httpx.Response:
    async with calling_from(engine, f"198.51.100.{network}") as client:
        return await client.post(VERIFY, json={"email": email, "code": code})


async def age_codes(engine: LiveEngine, email: str, by: timedelta) -> None:
    async with engine.app.state.resources.database.service() as connection:
        await connection.execute(
            sa.update(sign_in_codes)
            .where(sign_in_codes.c.email == email)
            .values(created_at=sign_in_codes.c.created_at - by)
        )


async def test_five_requests_a_minute_from_one_network_address(front: LiveEngine) -> None:
    answers = [await ask_from(front, 1, new_address()) for _ in range(6)]

    assert [answer.status_code for answer in answers] == [202] * 5 + [429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    guesses = [await guess_from(front, 1, new_address(), "123456") for _ in range(6)]
    assert [answer.status_code for answer in guesses] == [401] * 5 + [429]
    assert 1 <= int(guesses[-1].headers["retry-after"]) <= 60


async def test_five_a_minute_for_one_mail_address_from_all_networks(front: LiveEngine) -> None:
    email = new_address()
    spellings = [email, email.upper(), f" {email} ", email.title(), email, email.upper()]

    answers = [await ask_from(front, n, spelt) for n, spelt in enumerate(spellings)]

    assert [answer.status_code for answer in answers] == [202] * 5 + [429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    guesses = [await guess_from(front, n, spelt, "123456") for n, spelt in enumerate(spellings)]
    assert [answer.status_code for answer in guesses] == [401] * 5 + [429]


async def test_a_mailbox_gets_ten_codes_a_day_and_the_caller_does_not_learn_it(
    engine: LiveEngine, mail: MailServer
) -> None:
    email = new_address()
    for number in range(1, CODES_A_DAY + 1):
        await age_codes(engine, email, timedelta(minutes=2))
        engine.app.state.resources.limiter.counter._hits.clear()
        await code_for(engine, mail, email, "Maison Lin", number=number)
    engine.app.state.resources.limiter.counter._hits.clear()

    one_more = await ask(engine, email, "Maison Lin")

    assert one_more.status_code == 202
    assert len(await rows(engine.database, sign_in_codes, email=email)) == CODES_A_DAY
    # A day later there are codes again.
    await age_codes(engine, email, timedelta(days=1))
    engine.app.state.resources.limiter.counter._hits.clear()
    await code_for(engine, mail, email, "Maison Lin", number=CODES_A_DAY + 1)


async def test_guessing_from_many_networks_ends_with_the_codes_tries(
    engine: LiveEngine, mail: MailServer
) -> None:
    email = new_address()
    code = await code_for(engine, mail, email, "Maison Lin")
    wrong = f"{(int(code) + 1) % 1_000_000:06d}"
    for network in range(TRIES):
        assert (await guess_from(engine, network, email, wrong)).status_code == 401
        engine.app.state.resources.limiter.counter._hits.clear()

    assert (await guess_from(engine, 99, email, code)).status_code == 401
    (row,) = await rows(engine.database, sign_in_codes, email=email)
    assert (row["tries_left"], row["used_at"]) == (0, None)


async def test_who_is_locked_out_by_a_stranger_stays_signed_in(
    engine: LiveEngine, mail: MailServer
) -> None:
    account = await sign_up(engine, mail)
    for network in range(7):
        await ask_from(engine, network, account.email)
        await guess_from(engine, network, account.email, "000000")
    assert (await ask(engine, account.email)).status_code == 429

    async with calling_from(engine, "203.0.113.9") as client:
        renewed = await client.post(REFRESH, json={"refresh_token": account.refresh_token})

    assert renewed.status_code == 200


@pytest.mark.own_database
async def test_a_burst_of_throwaway_addresses_opens_no_more_than_the_hours_accounts(
    idle_engine: LiveEngine, mail: MailServer
) -> None:
    """Invited and known people still get in, and a shop asks again an hour later."""
    engine = idle_engine
    engine.activities.send_mail._accounts_an_hour = 2
    async with engine.working():
        account = await sign_up(engine, mail)
        await age_codes(engine, account.email, timedelta(hours=2))
        held = [new_address() for _ in range(4)]
        for number, email in enumerate(held):
            answer = await ask_from(engine, number, email, brand_name="Throwaway")
            assert answer.status_code == 202
            row = (await rows(engine.database, sign_in_codes, email=email))[0]
            await engine.client.get_workflow_handle(f"mail/{row['id']}").result()
        await sign_up(engine, mail, account.email, None, number=2)

    written_to = [str(one["To"]) for one in mail.mails]
    assert [email in written_to for email in held] == [True, True, False, False]


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
