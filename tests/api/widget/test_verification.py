"""A visitor verifies an address: the email, the uniform response, and rejections."""

from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.core import names
from domain.identity.mailed_code import CODES_AT_MOST
from domain.tenants.client_settings import Branding, SettingsChange
from domain.widget.widget_session import VerifiedBy, session_token
from store.tenants.client_settings import SettingsRepository
from store.widget.tables import widget_codes, widget_sessions
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import only_row, row_counts, rows
from tests.support.identity.sign_in import calling_from, code_in, mail_to, new_address
from tests.support.reviews.dashboard import code
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop, open_shop, with_sender
from tests.support.widget.page import WidgetPage, page_of

EMAIL, VERIFY = "/api/widget/email", "/api/widget/verify"
SENT = {"status": "sent"}


async def post(page: WidgetPage, path: str, network: int = 0, /, **body: object) -> httpx.Response:
    """Post from one of several network addresses."""
    async with calling_from(page.engine, f"198.51.100.{network}") as http:
        return await http.post(path, params=page.params, headers=page.headers, json=body)


async def ask(page: WidgetPage, token: str, email: str, **more: object) -> None:
    answer = await post(page, EMAIL, session_id=token, customer_email=email, **more)
    assert (answer.status_code, answer.json()) == (202, SENT)


async def named(engine: LiveEngine, shop: Shop, name: str) -> None:
    async with engine.database.tenant(shop.tenant) as connection:
        await SettingsRepository(connection, shop.tenant).change(
            SettingsChange(branding=Branding(display_name=name)), utc_now()
        )


async def test_a_visitor_proves_an_address_by_the_code_in_its_mail(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    page, email = await page_of(engine, shop), new_address()
    await named(engine, shop, "Maison Lin")
    token = await page.fresh_token()

    await ask(page, token, f" {email.upper()} ", language="en")
    sent = await mail_to(mail, email)
    brought = code_in(sent)

    # The complete email: the visitor chose nothing except the address.
    assert plain_text(sent).replace("\r\n", "\n") == (
        f"Hello,\n\nYour code: {brought}\n\nEnter it in the chat where you asked for it. It is "
        "valid for 10 minutes, once.\n\nYou did not ask for a code? Ignore this message, and give "
        "the code to no one: it opens your orders.\n"
    )
    assert str(sent["Subject"]) == f"Your code: {brought}"
    assert (
        str(sent["From"])
        == f"{engine.settings.server.service.name} <{engine.settings.mail.sender}>"
    )
    assert sent["Auto-Submitted"] == "auto-generated"
    assert sent["Reply-To"] is None

    done = await post(page, VERIFY, session_id=token, code=f"{brought[:3]} {brought[3:]}")
    assert (done.status_code, done.json()["customer_email"]) == (200, email)
    assert page.session(done.json()["session_id"]) == page.session(token)
    assert done.headers["access-control-allow-origin"] == "*"
    assert done.headers["cache-control"] == "no-store"
    session = await only_row(engine.database, widget_sessions, of=shop)
    assert (session["id"], session["verified_email"]) == (page.session(token), email)
    assert (session["verified_by"], session["language"]) == (VerifiedBy.CODE, "en")
    again = await post(page, VERIFY, session_id=token, code=brought)
    assert code(again) == (401, "invalid_widget_code")

    row = await only_row(engine.database, widget_codes, of=shop)
    assert row["sealed_code"] is None
    assert row["network"] == "198.51.100.0/24"
    handle = engine.client.get_workflow_handle(names.send_mail_id(shop.client_id, row["id"]))
    await handle.result()
    history = (await handle.fetch_history()).to_json()
    assert brought not in history
    assert email not in history


async def test_a_shops_own_sender_never_has_a_visitors_code(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """Attack: an admin's mail server reads a customer's code, and the admin enters it."""
    await with_sender(engine.database, shop, "contact@lin.example")
    page, email = await page_of(engine, shop), new_address()

    await ask(page, await page.fresh_token(), email)
    sent = await mail_to(mail, email)

    assert code_in(sent)
    assert "lin.example" not in f"{sent['From']} {sent['Reply-To']} {sent['Message-ID']}"


async def test_a_session_of_another_visitor_gets_a_new_token(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    page, (first, second) = await page_of(engine, shop), (new_address(), new_address())
    token = await page.fresh_token()
    answers = []
    for email in (first, second):
        await ask(page, token, email)
        brought = code_in(await mail_to(mail, email))
        answers.append((await post(page, VERIFY, session_id=token, code=brought)).json())

    assert answers[0]["customer_email"] == first
    assert page.session(answers[0]["session_id"]) == page.session(token)
    assert answers[1]["customer_email"] == second
    opened = page.session(answers[1]["session_id"])
    found = await rows(engine.database, widget_sessions, of=shop)
    assert {row["id"]: row["verified_email"] for row in found} == {
        page.session(token): first,
        opened: second,
    }


async def test_the_answer_is_the_same_when_nothing_is_sent(front: LiveEngine, shop: Shop) -> None:
    page, email = await page_of(front, shop), new_address()
    for number in range(CODES_AT_MOST + 2):
        answer = await post(
            page, EMAIL, number, session_id=await page.fresh_token(), customer_email=email
        )
        assert (answer.status_code, answer.json()) == (202, SENT)
    # The last one is stored like the others and handed to Temporal, so timing reveals nothing.
    made = await rows(front.database, widget_codes, email=email)
    assert sorted(len(row["digest"]) > 0 for row in made) == [False] + [True] * (CODES_AT_MOST + 1)
    for row in made:
        workflow = names.send_mail_id(shop.client_id, row["id"])
        await front.client.get_workflow_handle(workflow).describe()


async def test_sessions_and_network_addresses_have_their_limits(
    front: LiveEngine, shop: Shop
) -> None:
    page = await page_of(front, shop)
    token = await page.fresh_token()
    asked = [
        await post(page, EMAIL, n, session_id=token, customer_email=new_address()) for n in range(4)
    ]
    assert [answer.status_code for answer in asked] == [202] * 3 + [429]
    assert code(asked[-1]) == (429, "too_many_codes")
    assert 3590 <= int(asked[-1].headers["retry-after"]) <= 3600

    # One network address, for any client's widget.
    pages = [page, await page_of(front, await open_shop(front.database))]
    asked = [
        await post(
            pages[number % 2],
            EMAIL,
            9,
            session_id=await pages[number % 2].fresh_token(),
            customer_email=new_address(),
        )
        for number in range(11)
    ]
    assert [answer.status_code for answer in asked] == [202] * 10 + [429]
    assert code(asked[-1]) == (429, "too_many_requests")
    tried = [await post(page, VERIFY, 9, session_id=token, code="000000") for _ in range(21)]
    assert [answer.status_code for answer in tried[-2:]] == [401, 429]
    assert {answer.headers["access-control-allow-origin"] for answer in tried} == {"*"}


@pytest.mark.parametrize(
    "address",
    [
        "",
        "jean",
        "jean@free",
        "jean@free.example\r\nBcc: eve@evil.example",
        "jean@free.example\nSubject: x",
        "jean@free.example, eve@evil.example",
        "Jean <jean@free.example>",
        '"jean\r\n"@free.example',
        "jean@[127.0.0.1]",
        "é@free.example",
    ],
)
async def test_what_is_no_address_is_refused(front: LiveEngine, shop: Shop, address: str) -> None:
    page = await page_of(front, shop)
    token = await page.fresh_token()
    answer = await post(page, EMAIL, session_id=token, customer_email=address)
    assert code(answer) == (400, "invalid_address")
    assert await rows(front.database, widget_sessions, of=shop) == []


async def test_whose_session_it_is(front: LiveEngine, shop: Shop) -> None:
    """Another client's token, an invented one and an expired one are rejected."""
    page, other = await page_of(front, shop), await page_of(front, await open_shop(front.database))
    sealer = front.app.state.resources.sealer
    theirs = await other.fresh_token()
    forged = f"{page.session(await page.fresh_token())}.{'A' * 43}"
    old = session_token(sealer, shop.client_id, "01" + "0" * 24)
    before = await row_counts(front.database, of=shop)

    for token in (theirs, forged, old, "", "x" * 200):
        asked = await post(page, EMAIL, session_id=token, customer_email=new_address())
        assert code(asked) == (404, "widget_session_unknown"), token
        tried = await post(page, VERIFY, session_id=token, code="012345")
        assert code(tried) == (401, "invalid_widget_code"), token
        assert tried.json()["error"] == "Code incorrect ou expiré."
    assert await row_counts(front.database, of=shop) == before


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (EMAIL, {}),
        (EMAIL, {"customer_email": "a@b.example"}),
        (EMAIL, {"session_id": "x"}),
        (EMAIL, {"session_id": "x", "customer_email": ["a@b.example", "c@d.example"]}),
        (EMAIL, {"session_id": "x", "customer_email": "a@b.example", "language": "de"}),
        (EMAIL, {"session_id": "x", "customer_email": "a@b.example", "message": "Bonjour"}),
        (EMAIL, {"session_id": "x", "customer_email": "a@b.example" * 40}),
        (VERIFY, {"session_id": "x"}),
        (VERIFY, {"session_id": "x", "code": 12345}),
        (VERIFY, {"session_id": "x", "code": "0" * 21}),
        (VERIFY, {"session_id": "x" * 201, "code": "012345"}),
    ],
)
async def test_what_has_another_shape_is_refused(
    front: LiveEngine, shop: Shop, path: str, body: dict[str, object]
) -> None:
    answer = await post(await page_of(front, shop), path, **body)
    assert code(answer) == (400, "invalid_body")


async def test_only_the_clients_pages_may_ask(front: LiveEngine, shop: Shop) -> None:
    page = await page_of(front, shop)
    token = await page.fresh_token()
    for path, sent in (
        (EMAIL, {"session_id": token, "customer_email": new_address()}),
        (VERIFY, {"session_id": token, "code": "012345"}),
    ):
        elsewhere = page.at("https://evil.example")
        assert code(await post(elsewhere, path, **sent)) == (403, "origin_not_allowed")
        nobody = page.of("wk_" + "0" * 32)
        assert code(await post(nobody, path, **sent)) == (401, "unauthenticated")
    assert await rows(front.database, widget_codes, of=shop) == []


async def test_a_code_that_was_not_mailed_in_time_is_not_mailed_any_more(
    idle_engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """No worker was running: a code is useless after ten minutes."""
    page = await page_of(idle_engine, shop)
    await ask(page, await page.fresh_token(), "late@free.example")
    row = await only_row(idle_engine.database, widget_codes, of=shop)
    async with idle_engine.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(widget_codes).values(created_at=utc_now() - timedelta(minutes=11))
        )
    async with idle_engine.working():
        workflow = names.send_mail_id(shop.client_id, row["id"])
        await idle_engine.client.get_workflow_handle(workflow).result()
    assert mail.mails == []
