"""The demo shop's storefront: its pages, access, and permitted resources."""

import html
import re
import shlex
from collections.abc import AsyncIterator
from email.message import EmailMessage
from pathlib import Path
from typing import Final

import httpx
import pytest

from adapters.system import new_ulid, utc_now
from demo.back_office import BackOffice
from demo.content import OWNER
from demo.orders import DemoNumbers, orders_of
from demo.serving import serving
from demo.storefront import Wares, application, origin_at, storefront_socket
from demo.widget import DemoWidget
from domain.widget.signed_user import is_signed
from embedded.ports import listening, port_of
from store.core.database import Database
from tests.support.core.command_check import check_command
from tests.support.core.units import units_on
from tests.support.reviews.conversations import converse, write_and_join
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import Shop

API: Final = "http://127.0.0.1:9"
SECRET: Final = "wsec_of_the_demo"
NUMBERS: Final = DemoNumbers(1042)
PAGES: Final = ("/", "/en", "/signed", "/en/signed", "/mailbox", "/en/mailbox")


@pytest.fixture
async def http(database: Database, shop: Shop, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """An HTTP client for the storefront, whose data folder has a space in its name."""
    folder = tmp_path / "our data"
    (folder / "mail").mkdir(parents=True)
    with storefront_socket(None) as listener:
        origin = origin_at(port_of(listener))
        widget = DemoWidget(origin, f"wk_{'0' * 32}", SECRET)
        office = BackOffice(units_on(database), shop.tenant, folder)
        wares = Wares(API, widget, orders_of(NUMBERS, utc_now()), folder / "mail", office)
        async with (
            serving(listener, application(wares)),
            httpx.AsyncClient(base_url=origin, trust_env=False) as client,
        ):
            yield client


def keep_mail(folder: Path, to: str, text: str) -> None:
    mail = EmailMessage()
    mail["To"], mail["Subject"] = to, "Votre code"
    mail.set_content(text)
    (folder / "our data" / "mail" / f"{new_ulid()}.eml").write_bytes(bytes(mail))


async def page(http: httpx.AsyncClient, path: str) -> str:
    """Return the visible text of the page, with its tags."""
    answer = await http.get(path)
    assert answer.status_code == 200
    return html.unescape(answer.text)


async def test_every_page_keeps_to_its_policy(http: httpx.AsyncClient) -> None:
    for path in PAGES:
        answer = await http.get(path)
        policy = answer.headers["content-security-policy"]
        directives = dict(part.split(" ", 1) for part in policy.split("; "))
        assert directives["default-src"] == "'none'"
        assert directives["script-src"] == directives["connect-src"] == API
        assert "unsafe" not in policy
        assert answer.headers["content-language"] == ("en" if path.startswith("/en") else "fr")
        # Nothing inline, which the policy would block.
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", answer.text), path
    assert (await http.get("/storefront.css")).headers["content-type"].startswith("text/css")


async def test_the_script_stands_on_the_shops_pages_alone(http: httpx.AsyncClient) -> None:
    for path in ("/", "/en"):
        (script,) = re.findall(r"<script [^>]*>", await page(http, path))
        assert f'src="{API}/widget.js" data-key="wk_{"0" * 32}"' in script
        assert "data-user" not in script
    for path in ("/mailbox", "/en/mailbox"):
        assert "<script" not in await page(http, path)


async def test_the_shop_signs_its_customer(http: httpx.AsyncClient) -> None:
    for path in ("/signed", "/en/signed"):
        (script,) = re.findall(r"<script [^>]*>", await page(http, path))
        given = dict(re.findall(r'data-([a-z-]+)="([^"]*)"', script))
        assert given["user-email"] == NUMBERS.camille
        assert is_signed([SECRET], NUMBERS.camille, given["user-signature"])


async def test_the_page_tells_whose_each_order_is(http: httpx.AsyncClient) -> None:
    for path, question in (("/", "Où est ma commande 1042 ?"), ("/en", "Where is my order 1042?")):
        shown = await page(http, path)
        assert question in shown
        for order in orders_of(NUMBERS, utc_now()):
            assert f"<td>{order.number}</td><td>{order.customer_email}</td>" in shown


async def test_the_mailbox_shows_customers_mails_alone(
    http: httpx.AsyncClient, tmp_path: Path
) -> None:
    assert "Aucun courriel" in await page(http, "/mailbox")
    keep_mail(tmp_path, NUMBERS.camille, "Votre code : 123456 <script>alert(1)</script>")
    # A sign-in code that would give access as the shop's owner.
    keep_mail(tmp_path, OWNER, "Votre code : 654321")
    answer = await http.get("/mailbox")
    assert "123456 &lt;script&gt;" in answer.text
    assert "<script" not in answer.text
    assert "654321" not in answer.text


async def test_a_name_of_elsewhere_reads_no_mailbox(
    http: httpx.AsyncClient, tmp_path: Path
) -> None:
    """As in DNS rebinding, where a page points its own name to this address."""
    keep_mail(tmp_path, NUMBERS.camille, "Votre code : 123456")
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost"):
        answer = await http.get("/mailbox", headers={"Host": host})
        assert (answer.status_code, "123456" in answer.text) == (400, False)


async def test_the_back_office_gives_the_command_that_answers(
    http: httpx.AsyncClient, database: Database, shop: Shop, tmp_path: Path
) -> None:
    review_id = await open_review(database, shop, text="<b>Rappelez-moi</b>")
    answer = await http.get("/mailbox")
    assert "&lt;b&gt;Rappelez-moi" in answer.text
    (line,) = re.findall(r"^.*python (cli\.py .*)</pre>$", html.unescape(answer.text), re.MULTILINE)
    _, *words = shlex.split(line)
    check_command(words)
    assert words[:3] == ["review", "approve", review_id]
    assert words[-2:] == ["--data", str(tmp_path / "our data")]
    assert "--message" not in words


async def test_the_back_office_names_what_was_written_again(
    http: httpx.AsyncClient, database: Database, shop: Shop
) -> None:
    review_id = await open_review(database, shop, text="Rappelez-moi")
    conversation_id = await converse(database, shop, review_id)
    latest = await write_and_join(database, shop, conversation_id)
    office = html.unescape((await http.get("/mailbox")).text)
    assert f"review approve {review_id} " in office
    assert f" --message {latest} " in office


def test_the_port_is_kept_where_it_is_free() -> None:
    with storefront_socket(None) as listener:
        port = port_of(listener)
    with storefront_socket(port) as listener:
        assert port_of(listener) == port
    with listening(port), storefront_socket(port) as other:
        assert port_of(other) != port
