"""A customer at the demo shop's storefront, in Chromium, on the stack of `make run`; and the
commands in docs/widget.md against the same service."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import AsyncIterator, Iterator
from typing import Final

import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect

from demo.mails import code_to
from demo.sign_up import SignUp
from tests.support.core.command_line import cli_json, cli_process
from tests.support.core.forks import ROOT
from tests.support.core.waiting import eventually
from tests.support.widget.demo_stack import DemoStack, demo_stack
from tests.support.widget.pages import visit

pytestmark = pytest.mark.slow

# The maximum duration of a run on a loaded machine: the caller's own deadline is 30 s.
PATIENT_MS: Final = 40_000
SITE: Final = "https://shop.example"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoStack]:
    with demo_stack(tmp_path_factory.mktemp("storefront") / "data") as stack:
        yield stack


@pytest.fixture
async def shopper(browser: Browser) -> AsyncIterator[BrowserContext]:
    """A new browser context for a shopper."""
    new = await browser.new_context(locale="fr-FR")
    new.set_default_timeout(PATIENT_MS)
    yield new
    await new.close()


async def told(page: Page, pattern: str) -> str:
    """Return what the page tells its reader to type."""
    found = re.search(pattern, await page.locator("main").inner_text())
    assert found
    return found.group(1)


async def mailed_code(mailbox: Page, address: str) -> str:
    """Return the code as a person finds it: by reloading the mailbox until it arrives."""

    async def look() -> str | None:
        await mailbox.reload()
        mail = mailbox.locator("article.mail").filter(has_text=address).first
        if not await mail.count():
            return None
        return re.search(r"\b[0-9]{6}\b", await mail.inner_text()).group()  # type: ignore[union-attr]

    return await eventually(look)


async def test_a_whole_conversation(running: DemoStack, shopper: BrowserContext) -> None:
    visitor = await visit(shopper, running.storefront)
    page, mailbox = visitor.page, await shopper.new_page()
    question = await told(page, r"« (Où est ma commande \d+ \?) »")
    address = await told(page, r"l'adresse (\S+@\S+) et le code")
    number = await told(page, r"ma commande (\d+)")
    await visitor.open()

    # An order, after the code.
    await visitor.write(question)
    await page.get_by_label("Votre adresse e-mail").fill(address)
    await page.get_by_role("button", name="Recevoir un code").click()
    code = page.get_by_label("Le code")
    await code.wait_for()
    await mailbox.goto(f"{running.storefront}/mailbox")
    await code.fill(await mailed_code(mailbox, address))
    await page.get_by_role("button", name="Confirmer").click()
    await expect(visitor.texts).to_have_count(2, timeout=PATIENT_MS)
    await expect(visitor.texts.last).to_contain_text(f"https://suivi.example/{number}")
    await expect(page.locator(".known")).to_contain_text("c…@example.com")

    # An answer from knowledge.
    await visitor.write(await told(page, r"« (Combien .*?) »"))
    await expect(visitor.texts).to_have_count(4, timeout=PATIENT_MS)
    await expect(visitor.texts.last).to_contain_text("9,90 €")

    # A review, and the reviewer's answer in the open chat, sent with the command that the page
    # names.
    await visitor.write(await told(page, r"« (Pourriez-vous .*?) »"))
    await expect(visitor.notice).to_contain_text("Notre équipe vous répondra", timeout=PATIENT_MS)
    # Until then, the visitor has an excerpt from the knowledge.
    await expect(visitor.texts).to_have_count(6, timeout=PATIENT_MS)
    await expect(visitor.texts.last).to_contain_text("ce passage de notre article")
    await mailbox.reload()
    review = mailbox.locator("article.review").filter(has_text="Pourriez-vous").first
    line = await review.locator("pre").inner_text()
    assert line.startswith(".venv/bin/python cli.py review approve ")
    decided = cli_process(*shlex.split(line)[2:])
    assert decided.returncode == 0, decided.stderr
    await expect(visitor.texts).to_have_count(7, timeout=PATIENT_MS)
    reply = shlex.split(line)[shlex.split(line).index("--text") + 1]
    await expect(visitor.texts.last).to_have_text(reply)
    await expect(page.locator(".by").last).to_have_text("Service client")

    # The page is loaded again: nothing is lost or duplicated.
    await page.reload()
    await expect(visitor.texts).to_have_count(7, timeout=PATIENT_MS)
    assert visitor.said == []


async def test_a_customer_whom_the_shop_signs_in_english(
    running: DemoStack, shopper: BrowserContext
) -> None:
    visitor = await visit(shopper, f"{running.storefront}/en/signed")
    number = await told(visitor.page, r"my order (\d+)\?")
    await visitor.open()
    await visitor.write(await told(visitor.page, r"“(Where is my order \d+\?)”"))
    await expect(visitor.texts).to_have_count(2, timeout=PATIENT_MS)
    await expect(visitor.texts.last).to_contain_text(f"https://suivi.example/{number}")
    await visitor.write(await told(visitor.page, r"“(How much .*?)”"))
    await expect(visitor.texts).to_have_count(4, timeout=PATIENT_MS)
    await expect(visitor.texts.last).to_contain_text("€7.90")
    await visitor.write(await told(visitor.page, r"“(Could you .*?)”"))
    await expect(visitor.notice).to_contain_text("Our team will answer you", timeout=PATIENT_MS)
    assert visitor.said == []


def test_the_tour_has_the_conversation(running: DemoStack) -> None:
    shown = " ".join(running.tour.split())
    assert "A conversation in the storefront's chat — as expected" in shown
    assert running.storefront != running.url


def curl_lines() -> list[str]:
    text = (ROOT / "docs" / "widget.md").read_text()
    return [line for line in text.splitlines() if line.startswith("curl ")]


def answer(line: str, **env: str) -> dict[str, object]:
    """Return what the command prints when a shell runs it."""
    done = subprocess.run(
        ["bash", "-c", line], env={**os.environ, **env}, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answered: dict[str, object] = json.loads(done.stdout or "{}")
    assert "error" not in answered, (line, answered)
    return answered


async def test_the_lines_of_the_document(running: DemoStack) -> None:
    """In order, for a merchant who has just signed up."""
    mails = running.data / "mail"
    account = await SignUp(running.url, mails).first_answer()
    token = cli_json("token", "--user", account.address, "--data", str(running.data))["token"]
    env = {"ENGINE": running.url, "TOKEN": token, "SITE": SITE}
    found: dict[str, dict[str, object]] = {}
    stream = ""
    for line in curl_lines():
        if "/api/widget/verify" in line:
            env["CODE"] = await code_to("camille@example.com", mails)
        if "text/event-stream" in line:
            stream = until_state(line, env)
            continue
        answered = answer(line, **env)
        path = re.search(r"/api/[\w/-]+", line).group()  # type: ignore[union-attr]
        found[path] = answered
        if answered.get("snippet"):
            env["KEY"] = str(answered["widget_key"])
        if path.startswith("/api/widget/") and answered.get("session_id"):
            env["SESSION"] = str(answered["session_id"])
    assert SITE in str(found["/api/dashboard/widget"])
    assert str(found["/api/dashboard/widget/secret"]["secret"]).startswith("wsec_")
    assert found["/api/widget/chat"]["status"] == "verification_required"
    assert found["/api/widget/email"] == {"status": "sent"}
    assert found["/api/widget/verify"]["customer_email"] == "camille@example.com"
    assert len(str(found["/api/widget/messages"]["messages"])) > 2
    assert "event: state" in stream


def until_state(line: str, env: dict[str, str]) -> str:
    """Return the start of the stream, which has no end."""
    process = subprocess.Popen(
        ["bash", "-c", f"exec {line}"], env={**os.environ, **env}, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    read = ""
    for piece in process.stdout:
        read += piece
        if piece.startswith("event: state"):
            break
    process.terminate()
    process.communicate()
    return read
