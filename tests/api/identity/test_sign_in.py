"""/api/auth: sign-up and sign-in with a code."""

import httpx
import pytest
import sqlalchemy as sa

from adapters.system import new_ulid
from domain.identity.opening import OpeningLimits
from domain.identity.session import SessionKind
from domain.tenants.client import Plan
from services.identity.sessions import Visitor
from services.identity.sign_in import CodePresented, CodeWanted, make_code, sign_in
from store.tenants.tables import clients, users
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.identity.sign_in import (
    SIGNUP,
    VERIFY,
    ask,
    code_for,
    code_in,
    mail_to,
    new_address,
    sign_up,
)
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, Shop


async def address_of(engine: LiveEngine, shop: Shop) -> str:
    """Return the address of the shop's owner."""
    owner = await only_row(engine.database, users, id=shop.owner_user_id)
    return str(owner["email"])


def refused(answer: httpx.Response) -> bool:
    return (answer.status_code, answer.json()["error"], answer.json()["code"]) == (
        401,
        "Non autorisé",
        "invalid_code",
    )


async def test_a_new_shop_answers_its_first_ticket_after_five_calls(
    engine: LiveEngine, mail: MailServer
) -> None:
    """Sign-up, verification, a template, a key (here the session), the ticket."""
    account = await sign_up(engine, mail, brand="Maison\r\nLin")

    client = await only_row(engine.database, clients, id=account.client_id)
    assert client["owner_user_id"] == account.user_id
    assert (client["brand_name"], client["plan"]) == ("Maison Lin", Plan.FREE)
    assert (client["trial_ends_at"] - client["created_at"]).days == 14
    template = {
        "name": "Suivi",
        "category": "order_status",
        "intent": "track_order",
        "language": "fr",
        "body": "Bonjour, votre commande {{ order_number }} est en route.",
    }
    made = await engine.http.post(
        "/api/dashboard/templates", json=template, headers=account.headers
    )
    assert made.status_code == 201, made.text
    event = {"event_type": "shopify.ticket", "message": ORDER_QUESTION}
    answer = await engine.http.post(
        "/api/engine/gateway",
        json={"client_id": account.client_id, **event},
        headers=account.headers,
    )
    assert answer.status_code == 200, answer.text
    assert answer.json()["status"] == "completed", answer.text


async def test_who_has_an_account_signs_in_the_same_way(
    engine: LiveEngine, mail: MailServer, shop: Shop
) -> None:
    email = await address_of(engine, shop)

    account = await sign_up(engine, mail, email.upper().replace("EXAMPLE", "Example"), "Another")

    assert (account.client_id, account.user_id) == (shop.client_id, shop.owner_user_id)
    owned = await rows(engine.database, clients, owner_user_id=shop.owner_user_id)
    assert len(owned) == 1


async def test_an_unknown_address_without_a_shop_is_told_by_mail_alone(
    engine: LiveEngine, mail: MailServer
) -> None:
    email = new_address()

    answer = await ask(engine, email, **{"accept-language": "en"})

    assert answer.status_code == 202
    told = await mail_to(mail, email)
    assert told["Subject"] == "No account for this address"
    assert f"{engine.settings.server.origin}/app/sign-up" in plain_text(told)


async def test_who_guesses_the_code_of_an_unknown_address_gets_no_account(
    front: LiveEngine,
) -> None:
    email, resources = new_address(), front.app.state.resources
    limits = OpeningLimits(100)
    wanted = CodeWanted(email, None, "fr", "203.0.113.0/24", "123456")
    presented = CodePresented(
        email, "123456", SessionKind.REFRESH, Visitor("203.0.113.0/24", "x"), b"r" * 32
    )
    async with resources.work.everywhere() as work:
        assert await make_code(work, wanted, resources.sealer, limits)
    async with resources.work.everywhere() as work:
        assert await sign_in(work, presented, resources.sealer, limits) is None

    assert not await rows(front.database, users, email=email)


async def test_the_answer_is_the_same_for_every_address(
    engine: LiveEngine, mail: MailServer, shop: Shop
) -> None:
    known, unknown = await address_of(engine, shop), new_address()

    answers = [await ask(engine, email) for email in (known, unknown)]

    assert [answer.status_code for answer in answers] == [202, 202]
    assert answers[0].content == answers[1].content
    assert answers[0].headers["cache-control"] == "no-store"
    assert {*answers[0].headers} == {*answers[1].headers}


async def test_the_request_does_the_same_for_every_address(front: LiveEngine, shop: Shop) -> None:
    """The same statements and one workflow start, so timing does not reveal who has an account."""
    known, unknown = await address_of(front, shop), new_address()
    database = front.app.state.resources.database.engine.sync_engine
    statements: list[str] = []

    def note(*execution: object) -> None:
        statements.append(str(execution[2]))

    sa.event.listen(database, "before_cursor_execute", note)
    try:
        await ask(front, known)
        of_known = list(statements)
        statements.clear()
        await ask(front, unknown)
    finally:
        sa.event.remove(database, "before_cursor_execute", note)

    assert of_known
    assert statements == of_known


async def test_the_mail_speaks_the_callers_language(engine: LiveEngine, mail: MailServer) -> None:
    subjects = []
    for accepted in ("fr-FR,fr;q=0.9,en;q=0.8", "en-GB", "de"):
        email = new_address()
        await ask(engine, email, "Maison Lin", **{"accept-language": accepted})
        subjects.append(str((await mail_to(mail, email))["Subject"]).partition(":")[0].strip())

    french, english = "Votre code de connexion", "Your sign-in code"
    assert subjects == [french, english, french]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"email": "anne@shop.example\r\nBcc: eve@evil.example"}, "invalid_address"),
        ({"email": "anne"}, "invalid_address"),
        ({"email": "anne@shop.example", "brand_name": "\r\n"}, "invalid_brand_name"),
        ({"email": "anne@shop.example", "brand_name": "x" * 101}, "invalid_brand_name"),
        ({"email": "anne@shop.example", "brand_name": 1}, "invalid_body"),
        ({"email": ["anne@shop.example"]}, "invalid_body"),
        ({"brand_name": "Maison"}, "invalid_body"),
        ({"email": "anne@shop.example", "role": "owner"}, "invalid_body"),
    ],
)
async def test_what_is_refused(front: LiveEngine, body: dict[str, object], code: str) -> None:
    answer = await front.http.post(SIGNUP, json=body)

    assert (answer.status_code, answer.json()["code"]) == (400, code)


async def test_the_tokens_are_those_of_a_user(engine: LiveEngine, mail: MailServer) -> None:
    email = new_address()
    code = await code_for(engine, mail, email, "Maison Lin")

    answer = await engine.http.post(VERIFY, json={"email": email, "code": f"{code[:3]} {code[3:]}"})

    body = answer.json()
    assert (body["token_type"], body["expires_in"], body["created"]) == ("Bearer", 3600, True)
    assert body["refresh_token"].startswith("rs_")
    assert answer.headers["cache-control"] == "no-store"
    again = await sign_up(engine, mail, email, None, number=2)
    assert (again.user_id, again.client_id) == (body["user_id"], body["client_id"])


async def test_a_mail_that_comes_late_is_not_lost(engine: LiveEngine, mail: MailServer) -> None:
    """The mail server greylists; Temporal retries."""
    email = new_address()
    mail.recipient_reply = "451 later"
    assert (await ask(engine, email, "Maison Lin")).status_code == 202

    async def was_refused() -> bool:
        return mail.refused > 0

    await eventually(was_refused)
    mail.recipient_reply = "250 ok"

    assert code_in(await mail_to(mail, email))


async def test_an_erased_users_address_can_sign_up_anew(
    engine: LiveEngine, mail: MailServer
) -> None:
    """A client that is being erased does not count."""
    account = await sign_up(engine, mail)
    async with engine.app.state.resources.database.service() as connection:
        await connection.execute(
            sa.update(clients)
            .where(clients.c.id == account.client_id)
            .values(closed_at=sa.func.now())
        )

    again = await sign_up(engine, mail, account.email, "Maison Neuve", number=2)

    assert again.client_id not in ("", account.client_id)
    assert new_ulid() > again.client_id
