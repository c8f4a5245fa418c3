"""The sign-in pages: their links, texts and headers."""

import re

import pytest

from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import form_of
from tests.support.identity.sign_in import browser, code_in, mail_to, new_address, sign_in_with
from tests.support.servers.mail import MailServer

PAGES = ("/app/sign-in", "/app/sign-up", "/app/verify", "/app", "/app/sessions")


@pytest.mark.parametrize("page", PAGES)
async def test_every_page_is_private_and_frames_nowhere(front: LiveEngine, page: str) -> None:
    async with browser(front) as client:
        answer = await client.get(page, follow_redirects=True)

    assert answer.status_code == 200
    headers = answer.headers
    assert headers["cache-control"] == "private, no-store"
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-frame-options"] == "DENY"
    assert "<script" not in answer.text
    assert " style=" not in answer.text


async def test_who_is_not_signed_in_comes_back_to_the_page(
    engine: LiveEngine, mail: MailServer
) -> None:
    async with browser(engine) as client:
        sent = await client.get("/app/sessions?x=1")
        assert sent.headers["location"] == "/app/sign-in?next=%2Fapp%2Fsessions%3Fx%3D1"
        form = (await client.get(sent.headers["location"])).text
        assert 'value="/app/sessions?x=1"' in form

        done = await sign_in_with(
            client, mail, new_address(), "Maison Lin", next_page="/app/sessions?x=1"
        )

    assert done.headers["location"] == "/app/sessions?x=1"


async def test_whoever_signs_out_too_late_is_not_led_back_to_it(front: LiveEngine) -> None:
    """The session has already expired."""
    async with browser(front) as client:
        answer = await client.post("/app/sign-out", data={"csrf": "x"})

    assert (answer.status_code, answer.headers["location"]) == (303, "/app/sign-in")


@pytest.mark.parametrize("wanted", ["https://evil.example/", "//evil.example", "/\\evil.example"])
async def test_open_redirect(engine: LiveEngine, mail: MailServer, wanted: str) -> None:
    async with browser(engine) as client:
        page = await client.get("/app/sign-in", params={"next": wanted})
        assert "evil" not in page.text

        done = await sign_in_with(client, mail, new_address(), "Maison Lin", next_page=wanted)

        assert done.headers["location"] == "/app"
        again = await client.get("/app/sign-in", params={"next": wanted})
        assert again.headers["location"] == "/app"


async def test_what_was_typed_wrong_is_said_on_the_form(front: LiveEngine) -> None:
    typed = '"><script>alert(1)</script>'
    async with browser(front) as client:
        asked = await client.post("/app/sign-up", data={"email": typed, "brand_name": typed})
        entered = await client.post("/app/verify", data={"email": new_address(), "code": "1"})

    assert (asked.status_code, entered.status_code) == (400, 401)
    assert "<script" not in asked.text
    assert 'role="alert"' in asked.text
    assert 'aria-describedby="email-error"' in asked.text
    assert "<title>Error: " in asked.text
    assert 'aria-describedby="code-error"' in entered.text


async def test_too_many_tries_are_told_as_a_page(front: LiveEngine) -> None:
    async with browser(front) as client:
        answers = [
            await client.post("/app/verify", data={"email": new_address(), "code": "123456"})
            for _ in range(6)
        ]

    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert "Wait a minute" in answers[-1].text


async def test_the_form_for_the_code_stays_after_a_refusal(front: LiveEngine) -> None:
    """It keeps the address and the shop's name after a wrong code, and after too many attempts of
    either kind."""
    form = {"email": new_address(), "brand_name": "Maison Lin", "next": "/app/knowledge"}
    async with browser(front) as client:
        wrong = await client.post("/app/verify", data={**form, "code": "123456"})
        assert "wrong, has expired" in wrong.text
        again = form_of(wrong.text, "/app/sign-up")
        sent = await client.post("/app/sign-up", data=again)
        assert "We sent a new code." in sent.text

        async def until_refused(path: str, fields: dict[str, str]) -> str:
            for _ in range(100):
                answer = await client.post(path, data=fields)
                if answer.status_code == 429:
                    return answer.text
            raise AssertionError("no limit")

        for refused in (
            await until_refused("/app/verify", {**form, "code": "123456"}),
            await until_refused("/app/sign-up", again),
        ):
            assert form_of(refused, "/app/verify").items() >= form.items()
            assert form_of(refused, "/app/sign-up") == again
            assert "We sent a new code." not in refused


async def test_a_code_is_sent_again_from_the_page_that_asks_for_it(
    engine: LiveEngine, mail: MailServer
) -> None:
    """This also works after a wrong code, and the shop's name is kept."""
    email = new_address()
    form = {"email": email, "brand_name": "Maison <b>Lin</b>", "next": "/app/knowledge"}
    async with browser(engine) as client:
        nameless = await client.post("/app/sign-up", data={**form, "brand_name": " "})
        assert nameless.status_code == 400
        assert 'aria-describedby="brand_name-error"' in nameless.text
        asked = await client.post("/app/sign-up", data=form)
        assert form_of(asked.text, "/app/sign-up")["brand_name"] == form["brand_name"]
        first = code_in(await mail_to(mail, email))

        wrong = form_of(asked.text, "/app/verify") | {"code": f"{(int(first) + 1) % 10**6:06}"}
        refused = await client.post("/app/verify", data=wrong)
        assert refused.status_code == 401
        await client.post("/app/sign-up", data=form_of(refused.text, "/app/sign-up"))
        code = code_in(await mail_to(mail, email, number=2))
        done = await client.post("/app/verify", data=wrong | {"code": f"{code[:3]} {code[3:]}"})

        assert done.headers["location"] == "/app/knowledge"
        assert "Maison &lt;b&gt;Lin&lt;/b&gt;" in (await client.get("/app/knowledge")).text


@pytest.mark.parametrize(
    ("accepted", "language", "title"),
    [("fr", "fr", "Connexion"), ("en", "en", "Sign in"), ("de", "fr", "Connexion")],
)
async def test_pages_speak_the_readers_language(
    front: LiveEngine, accepted: str, language: str, title: str
) -> None:
    async with browser(front) as client:
        page = await client.get("/app/sign-in", headers={"accept-language": accepted})

    assert f'<html lang="{language}">' in page.text
    assert f"<h1>{title}</h1>" in page.text


async def test_words_are_the_same_in_both_languages(front: LiveEngine) -> None:
    french, english = (front.app.state.resources.pages._words[one] for one in ("fr", "en"))

    assert _keys(french) == _keys(english)


def _keys(words: object) -> object:
    if isinstance(words, dict):
        return {name: _keys(inner) for name, inner in sorted(words.items())}
    return type(words)


async def test_errors_of_pages_are_pages(front: LiveEngine) -> None:
    async with browser(front) as client:
        missing = await client.get("/app/no-such-page")
        wrong = await client.put("/app/sign-in")
        no_form = await client.post("/app/verify", json={})
        api = await client.get("/api/no-such-route")

    assert missing.status_code == 404
    assert missing.headers["content-type"].startswith("text/html")
    assert wrong.status_code == 405
    assert no_form.status_code == 415
    assert api.json()["code"] == "route_not_found"


async def test_the_style_is_served_and_nothing_else(front: LiveEngine) -> None:
    static = front.app.state.resources.pages.static
    style = await front.http.get(static.url("app.css"))
    older = await front.http.get("/app/static/an-older-version/app.css")
    outside = await front.http.get(f"/app/static/{static.version}/..%2fpages.py")

    assert style.headers["content-type"] == "text/css; charset=utf-8"
    assert "immutable" in style.headers["cache-control"]
    assert older.content == style.content
    assert "immutable" not in older.headers["cache-control"]
    assert outside.status_code == 404


async def test_the_font_and_the_icons_are_ours(front: LiveEngine) -> None:
    """The stylesheet refers to local files, and the pages' policy allows no others."""
    static = front.app.state.resources.pages.static
    font = await front.http.get(static.url("inter.woff2"))
    icons = await front.http.get(static.url("icons.svg"))
    async with browser(front) as client:
        page = await client.get("/app/sign-in")
    style = static.files["app.css"].content.decode()
    policy = page.headers["content-security-policy"].split("; ")

    assert font.headers["content-type"] == "font/woff2"
    assert font.content.startswith(b"wOF2")
    assert icons.headers["content-type"] == "image/svg+xml"
    assert {*re.findall(r'url\("([^"]*)"\)', style)} == {"inter.woff2", "icons.svg"}
    assert "font-src 'self'" in policy
    assert "style-src 'self'" in policy
    assert f'href="{static.url("logo.svg")}"' in page.text


async def test_the_mail_of_a_browsers_code_is_in_its_language(
    engine: LiveEngine, mail: MailServer
) -> None:
    email = new_address()
    async with browser(engine) as client:
        await client.post("/app/sign-up", data={"email": email, "brand_name": "Maison Lin"})

    assert "Your sign-in code" in str((await mail_to(mail, email))["Subject"])
