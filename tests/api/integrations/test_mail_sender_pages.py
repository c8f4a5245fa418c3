"""The mail sender page: set, verify with a code, remove."""

from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop

PAGE = "/app/mail-sender"
FIELDS = {"address": "contact@shop.example", "signature": "Anne <b>", "port": "465"}


async def test_a_sender_is_set_and_removed(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        assert "Sending from our address" in await owner.see(PAGE)
        page = await owner.follow(await owner.send(PAGE, PAGE, FIELDS))
        assert "We sent a code to contact@shop.example." in page
        assert "Not verified yet" in page
        assert "Anne &lt;b&gt;" in page

        wrong = await owner.follow(await owner.send(PAGE, f"{PAGE}/verify", {"code": "000000"}))
        assert "That code didn’t work" in wrong
        again = await owner.follow(await owner.send(PAGE, f"{PAGE}/code"))
        assert "We sent a new code." in again
        gone = await owner.follow(await owner.send(PAGE, f"{PAGE}/remove"))
        assert "Sender removed." in gone


async def test_a_broken_rule_keeps_all_but_the_password(front: LiveEngine, shop: Shop) -> None:
    server = {"host": "smtp.shop.example", "port": "99", "secret:password": "CANARY-password"}
    async with at_pages(front, shop) as owner:
        page = await owner.follow(await owner.send(PAGE, PAGE, {**FIELDS, **server}))
        assert "There is a problem" in page
        assert "smtp.shop.example" in page
        assert "CANARY" not in page
