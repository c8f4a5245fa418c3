"""What a session token gives access to, before and after verification."""

from collections.abc import Awaitable, Callable

import pytest

from tests.api.widget.test_verification import VERIFY, ask, post
from tests.support.core.engine import LiveEngine
from tests.support.exports.export import served
from tests.support.identity.sign_in import code_in, mail_to, new_address
from tests.support.privacy.erasing import erase
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop
from tests.support.widget.page import WidgetPage, page_of, signed, with_secret
from tests.support.widget.stream import read_messages, streaming


async def test_the_token_from_before_the_code_opens_nothing_of_what_comes_after(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """A previous user of the browser may have the old token, and verified nothing."""
    page, email = await page_of(engine, shop), new_address()
    before = (await page.say("Anonymous"))["session_id"]
    await ask(page, before, email)
    brought = code_in(await mail_to(mail, email))

    async def shown(token: str) -> list[str]:
        answer = await engine.http.get(
            "/api/widget/messages",
            params=page.params,
            headers={**page.headers, "x-widget-session": token},
        )
        return [one["text"] for one in answer.json()["messages"] if one["author"] == "customer"]

    async def seen(token: str) -> int:
        return (await post(page, "/api/widget/seen", session_id=token, number=1)).status_code

    assert (await shown(before), await seen(before)) == (["Anonymous"], 204)
    async with (
        served(engine.app) as port,
        streaming(page, f"http://127.0.0.1:{port}", before) as stream,
    ):
        await stream.until(lambda it: it.numbers[:1] == [1] and bool(it.state))
        after = (await post(page, VERIFY, session_id=before, code=brought)).json()["session_id"]
        # The old stream ends without sending anything more.
        await stream.to_its_end()
        assert stream.state["verified_email"] is None
    assert (await page.say("Mine", session_id=after))["session_id"] == after

    assert await shown(after) == ["Anonymous", "Mine"]
    assert (await shown(before), await seen(before)) == ([], 404)
    thief = (await page.say("What did I write?", session_id=before))["session_id"]
    assert page.session(thief) != page.session(before)
    assert await seen(after) == 204


async def test_the_token_from_before_the_signature_opens_nothing_of_what_comes_after(
    engine: LiveEngine, shop: Shop
) -> None:
    """Another person used the browser before, or planted the token there."""
    page, email = await page_of(engine, shop), new_address()
    secret = await with_secret(page)
    planted = (await page.say("Anonymous"))["session_id"]

    async def shown(token: str) -> list[str]:
        answer = await read_messages(page, token)
        return [one["text"] for one in answer.json()["messages"] if one["author"] == "customer"]

    async def seen(token: str) -> int:
        return (await post(page, "/api/widget/seen", session_id=token, number=1)).status_code

    async def rated(token: str) -> int:
        rating = {"session_id": token, "number": 2, "score": 1}
        return (await post(page, "/api/widget/rating", **rating)).status_code

    assert (await shown(planted), await seen(planted)) == (["Anonymous"], 204)
    async with (
        served(engine.app) as port,
        streaming(page, f"http://127.0.0.1:{port}", planted) as stream,
    ):
        await stream.until(lambda it: it.numbers[:1] == [1] and bool(it.state))
        theirs = (await page.say("Mine", session_id=planted, **signed(secret, email)))["session_id"]
        await stream.to_its_end()
        assert stream.state["verified_email"] is None

    assert (theirs != planted, page.session(theirs)) == (True, page.session(planted))
    assert await shown(theirs) == ["Anonymous", "Mine"]
    assert (await shown(planted), await seen(planted), await rated(planted)) == ([], 404, 404)
    thief = (await page.say("What did I write?", session_id=planted))["session_id"]
    assert page.session(thief) != page.session(planted)
    again = await page.say("More", session_id=theirs, **signed(secret, email))
    assert (again["session_id"], await seen(theirs)) == (theirs, 204)


async def test_a_token_that_was_planted_before_the_first_message_opens_nothing(
    engine: LiveEngine, shop: Shop
) -> None:
    page = await page_of(engine, shop)
    secret, planted = await with_secret(page), await page.fresh_token()

    theirs = (await page.say("Mine", session_id=planted, **signed(secret, new_address())))[
        "session_id"
    ]

    assert (await read_messages(page, planted)).json()["messages"] == []
    assert (await read_messages(page, theirs)).json()["messages"] != []
    assert (await post(page, "/api/widget/seen", session_id=planted, number=1)).status_code == 404


async def test_a_signature_for_another_user_opens_nothing_of_the_first(
    engine: LiveEngine, shop: Shop
) -> None:
    page = await page_of(engine, shop)
    secret, planted = await with_secret(page), await page.fresh_token()
    first = (await page.say("Mine", session_id=planted, **signed(secret, new_address())))[
        "session_id"
    ]
    second = await page.say("Me too", session_id=planted, **signed(secret, new_address()))
    assert page.session(second["session_id"]) != page.session(first)
    messages = (await read_messages(page, second["session_id"])).json()["messages"]
    assert "Mine" not in {one["text"] for one in messages}


Verify = Callable[[WidgetPage, MailServer, str, str], Awaitable[str]]


async def by_code(page: WidgetPage, mail: MailServer, token: str, email: str) -> str:
    """Verify the token's session for an address; return the new token."""
    await ask(page, token, email)
    brought = code_in(await mail_to(mail, email))
    answer = await post(page, VERIFY, session_id=token, code=brought)
    verified: str = answer.json()["session_id"]
    return verified


async def by_signature(page: WidgetPage, _: MailServer, token: str, email: str) -> str:
    secret = await with_secret(page)
    answer = await page.say("Signed", session_id=token, **signed(secret, email))
    verified: str = answer["session_id"]
    return verified


@pytest.mark.parametrize("second", [by_code, by_signature])
@pytest.mark.parametrize("first", [by_code, by_signature])
async def test_an_erased_visitors_token_opens_nothing_of_the_next_visitor(
    engine: LiveEngine, shop: Shop, mail: MailServer, first: Verify, second: Verify
) -> None:
    """An erasure keeps the session's row, so the next user of the browser may verify it."""
    page, erased = await page_of(engine, shop), new_address()
    token = await page.fresh_token()
    kept = await first(page, mail, token, erased)
    await page.say("Theirs", session_id=kept)
    await erase(engine, shop, erased)
    theirs = await second(page, mail, token, new_address())
    assert page.session(theirs) == page.session(kept)
    await page.say("Mine", session_id=theirs)

    async def shown(token: str) -> set[str]:
        return {one["text"] for one in (await read_messages(page, token)).json()["messages"]}

    assert await shown(kept) == set()
    seen = await post(page, "/api/widget/seen", session_id=kept, number=1)
    rated = await post(page, "/api/widget/rating", session_id=kept, number=2, score=1)
    assert (seen.status_code, rated.status_code) == (404, 404)
    written = (await page.say("What did you write?", session_id=kept))["session_id"]
    assert page.session(written) != page.session(theirs)
    assert "What did you write?" not in await shown(theirs)
