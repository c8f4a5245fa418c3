"""What a session's token opens, and what it opens no longer."""

from tests.api.widget.test_verification import VERIFY, ask, post
from tests.support.core.engine import LiveEngine
from tests.support.exports.export import served
from tests.support.identity.sign_in import code_in, mail_to, new_address
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop
from tests.support.widget.page import page_of
from tests.support.widget.stream import streaming


async def test_the_token_from_before_the_code_opens_nothing_of_what_comes_after(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """Somebody who used the browser before may have it: they proved nothing."""
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
        # The stream from before ends, and has told nothing more.
        await stream.to_its_end()
        assert stream.state["verified_email"] is None
    assert (await page.say("Mine", session_id=after))["session_id"] == after

    assert await shown(after) == ["Anonymous", "Mine"]
    assert (await shown(before), await seen(before)) == ([], 404)
    thief = (await page.say("What did I write?", session_id=before))["session_id"]
    assert page.session(thief) != page.session(before)
    assert await seen(after) == 204
