"""/api/auth: signing up and in by a code."""

from tests.support.core.engine import LiveEngine
from tests.support.identity.sign_in import (
    browser,
    csrf_in,
    new_address,
    sign_in_with,
    sign_up,
)
from tests.support.servers.mail import MailServer


async def test_a_new_shop_signs_up_and_is_served(engine: LiveEngine, mail: MailServer) -> None:
    account = await sign_up(engine, mail)

    assert account.client_id
    found = await engine.http.get("/api/dashboard/settings", headers=account.headers)
    assert found.status_code == 200, found.text


async def test_a_browser_signs_up_and_out(engine: LiveEngine, mail: MailServer) -> None:
    email = new_address()
    async with browser(engine) as client:
        done = await sign_in_with(client, mail, email, "Maison Lin")
        assert done.status_code == 303, done.text
        home = await client.get("/app")
        assert email in home.text
        out = await client.post("/app/sign-out", data={"csrf": csrf_in(home.text)})
        assert out.headers["location"] == "/app/sign-in"
        assert (await client.get("/app")).status_code == 303
