"""Refresh tokens: each use replaces them; reuse of a replaced one ends the session."""

import asyncio
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from domain.identity.session import IDLE, LONGEST, SessionKind
from store.identity.tables import sessions
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.identity.sign_in import REFRESH, SIGN_OUT, Account, new_address, sign_up
from tests.support.servers.mail import MailServer
from tests.support.tenants.identity import bearer

LATE = timedelta(seconds=31)


async def renew(engine: LiveEngine, token: str) -> httpx.Response:
    return await engine.http.post(REFRESH, json={"refresh_token": token})


def refused(answer: httpx.Response) -> bool:
    return (answer.status_code, answer.json()["code"]) == (401, "invalid_refresh_token")


async def let_pass(engine: LiveEngine, account: Account, by: timedelta) -> None:
    """Move the session's times into the past."""
    times = sessions.c
    async with engine.app.state.resources.database.service() as connection:
        await connection.execute(
            sa.update(sessions)
            .where(times.user_id == account.user_id)
            .values(created_at=times.created_at - by, used_at=times.used_at - by)
        )


async def test_each_use_replaces_the_token(engine: LiveEngine, mail: MailServer) -> None:
    account = await sign_up(engine, mail)

    first = (await renew(engine, account.refresh_token)).json()
    second = (await renew(engine, first["refresh_token"])).json()

    tokens = {account.refresh_token, first["refresh_token"], second["refresh_token"]}
    assert len(tokens) == 3
    assert (second["token_type"], second["expires_in"]) == ("Bearer", 3600)
    found = await engine.http.get("/api/dashboard/settings", headers=bearer(second["token"]))
    assert found.status_code == 200


async def test_an_answer_that_was_lost_is_given_again(engine: LiveEngine, mail: MailServer) -> None:
    account = await sign_up(engine, mail)

    answers = await asyncio.gather(*(renew(engine, account.refresh_token) for _ in range(4)))

    assert {answer.status_code for answer in answers} == {200}
    (following,) = {answer.json()["refresh_token"] for answer in answers}
    assert (await renew(engine, following)).status_code == 200


async def test_a_replaced_token_that_comes_back_ends_the_session(
    engine: LiveEngine, mail: MailServer
) -> None:
    account = await sign_up(engine, mail)
    thief = (await renew(engine, account.refresh_token)).json()["refresh_token"]
    await let_pass(engine, account, LATE)

    assert refused(await renew(engine, account.refresh_token))

    assert refused(await renew(engine, thief))
    (session,) = await rows(engine.database, sessions, user_id=account.user_id)
    assert session["ended_at"] is not None


async def test_a_thief_who_goes_on_renewing_is_found_too(
    engine: LiveEngine, mail: MailServer
) -> None:
    """By then, the owner's token is older than the last two."""
    account = await sign_up(engine, mail)
    thief = account.refresh_token
    for _ in range(3):
        thief = (await renew(engine, thief)).json()["refresh_token"]

    assert refused(await renew(engine, account.refresh_token))

    assert refused(await renew(engine, thief))


async def test_a_repetition_within_the_grace_does_not_prolong_it(
    engine: LiveEngine, mail: MailServer
) -> None:
    account = await sign_up(engine, mail)
    await renew(engine, account.refresh_token)
    await let_pass(engine, account, timedelta(seconds=20))
    assert (await renew(engine, account.refresh_token)).status_code == 200
    await let_pass(engine, account, timedelta(seconds=11))

    assert refused(await renew(engine, account.refresh_token))


@pytest.mark.parametrize(
    "token", ["", "rs_", "rs_" + "A" * 43, "ws_" + "A" * 43, "rs_" + "é" * 43, "x" * 200]
)
async def test_what_is_no_token(front: LiveEngine, token: str) -> None:
    answer = await renew(front, token)

    assert answer.status_code == (400 if token == "" else 401)


@pytest.mark.parametrize("by", [IDLE[SessionKind.REFRESH], LONGEST[SessionKind.REFRESH]])
async def test_it_does_not_last_for_ever(
    engine: LiveEngine, mail: MailServer, by: timedelta
) -> None:
    account = await sign_up(engine, mail)
    await let_pass(engine, account, by)

    assert refused(await renew(engine, account.refresh_token))


async def test_signing_out_ends_this_session_alone(engine: LiveEngine, mail: MailServer) -> None:
    one = await sign_up(engine, mail)
    other = await sign_up(engine, mail, one.email, number=2)

    out = await engine.http.post(SIGN_OUT, json={"refresh_token": one.refresh_token})

    assert (out.status_code, out.content) == (204, b"")
    assert refused(await renew(engine, one.refresh_token))
    assert (await renew(engine, other.refresh_token)).status_code == 200


async def test_signing_out_everywhere_ends_all_of_ones_own(
    engine: LiveEngine, mail: MailServer
) -> None:
    one = await sign_up(engine, mail)
    other = await sign_up(engine, mail, one.email, number=2)
    stranger = await sign_up(engine, mail, new_address())

    body = {"refresh_token": one.refresh_token, "everywhere": True}
    assert (await engine.http.post(SIGN_OUT, json=body)).status_code == 204

    assert refused(await renew(engine, one.refresh_token))
    assert refused(await renew(engine, other.refresh_token))
    assert (await renew(engine, stranger.refresh_token)).status_code == 200


async def test_who_is_not_signed_in_cannot_sign_out(front: LiveEngine) -> None:
    assert refused(await front.http.post(SIGN_OUT))
