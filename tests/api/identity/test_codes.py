"""The emailed code: single-use, short-lived, and never stored in clear text."""

import asyncio
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from domain.identity.code import LIFETIME
from store.identity.tables import sessions, sign_in_codes
from store.tenants.tables import clients, users
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.identity.sign_in import (
    code_for,
    new_address,
    verify,
)
from tests.support.servers.mail import MailServer


def refused(answer: httpx.Response) -> bool:
    return (answer.status_code, answer.json()["error"], answer.json()["code"]) == (
        401,
        "Non autorisé",
        "invalid_code",
    )


async def test_a_code_is_good_once(engine: LiveEngine, mail: MailServer) -> None:
    email = new_address()
    code = await code_for(engine, mail, email, "Maison Lin")

    assert (await verify(engine, email, code)).status_code == 200
    assert refused(await verify(engine, email, code))


async def test_of_several_at_once_with_one_code_one_gets_in(
    engine: LiveEngine, mail: MailServer
) -> None:
    email = new_address()
    code = await code_for(engine, mail, email, "Maison Lin")

    answers = await asyncio.gather(*(verify(engine, email, code) for _ in range(4)))

    assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401]
    (user,) = await rows(engine.database, users, email=email)
    assert len(await rows(engine.database, clients, owner_user_id=user["id"])) == 1
    assert len(await rows(engine.database, sessions, user_id=user["id"])) == 1


@pytest.mark.parametrize(("seconds", "status"), [(-10, 200), (0, 401)])
async def test_a_code_lasts_ten_minutes(
    engine: LiveEngine, mail: MailServer, seconds: int, status: int
) -> None:
    email = new_address()
    code = await code_for(engine, mail, email, "Maison Lin")
    age = LIFETIME + timedelta(seconds=seconds)
    async with engine.app.state.resources.database.service() as connection:
        await connection.execute(
            sa.update(sign_in_codes)
            .where(sign_in_codes.c.email == email)
            .values(created_at=sign_in_codes.c.created_at - age)
        )

    assert (await verify(engine, email, code)).status_code == status


async def test_wrong_and_unknown_are_answered_alike(engine: LiveEngine, mail: MailServer) -> None:
    email = new_address()
    code = await code_for(engine, mail, email, "Maison Lin")
    wrong = f"{(int(code) + 1) % 1_000_000:06d}"

    answers = [
        await verify(engine, email, wrong),
        await verify(engine, new_address(), code),
        await verify(engine, "no address", code),
    ]

    for answer in answers:
        assert refused(answer)
        assert answer.headers["www-authenticate"] == "Bearer"


async def test_after_five_tries_a_code_is_dead(engine: LiveEngine, mail: MailServer) -> None:
    email = new_address()
    code = await code_for(engine, mail, email, "Maison Lin")
    async with engine.app.state.resources.database.service() as connection:
        await connection.execute(
            sa.update(sign_in_codes).where(sign_in_codes.c.email == email).values(tries_left=1)
        )
    assert refused(await verify(engine, email, f"{(int(code) + 1) % 1_000_000:06d}"))

    assert refused(await verify(engine, email, code))


async def test_two_codes_at_once_are_both_good_and_one_use_ends_both(
    engine: LiveEngine, mail: MailServer
) -> None:
    """An email may be late: a user who requested two codes may enter either."""
    email = new_address()
    first = await code_for(engine, mail, email, "Maison Lin")
    second = await code_for(engine, mail, email, "Maison Lin", number=2)

    assert (await verify(engine, email, first)).status_code == 200
    assert refused(await verify(engine, email, second))


async def test_no_code_is_kept_in_clear_once_it_is_mailed(
    engine: LiveEngine, mail: MailServer
) -> None:
    email = new_address()
    code = await code_for(engine, mail, email, "Maison Lin")
    await verify(engine, email, code)

    row = await only_row(engine.database, sign_in_codes, email=email)
    assert row["sealed_code"] is None
    assert code.encode() not in row["digest"]


async def test_the_history_of_the_mail_holds_neither_code_nor_address(
    engine: LiveEngine, mail: MailServer
) -> None:
    email = new_address()
    code = await code_for(engine, mail, email, "Maison Lin")
    row = await only_row(engine.database, sign_in_codes, email=email)

    handle = engine.client.get_workflow_handle(f"mail/{row['id']}")
    await handle.result()
    history = (await handle.fetch_history()).to_json()

    assert code not in history
    assert email not in history
