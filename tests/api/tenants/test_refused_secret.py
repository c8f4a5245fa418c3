"""A secret that the managers refused never vouches, whatever follows."""

from urllib.parse import urlsplit

from tests.api.tenants.test_held_trust import MAPPED, connected, shop, waiting
from tests.support.core.engine import LiveEngine
from tests.support.inbound.addresses import ENDPOINT, opened
from tests.support.inbound.signed import SignedSender
from tests.support.tenants.loosenings import LOOSENINGS, another
from tests.support.tenants.shop import Shop

__all__ = ["shop"]


async def test_a_refused_secret_is_not_kept_beside_its_successor(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """The owner refuses an admin's rotation and rotates again. Earlier, the overlap kept the
    refused secret valid beside the approved one."""
    admin, third = await another(front, shop), await another(front, shop)
    made = await connected(front, owner, "generic")
    await opened(front, owner, made["id"], MAPPED)
    rotate = ENDPOINT.format(integration_id=made["id"]) + "/rotate"

    async def decide(who: dict[str, str], how: str) -> None:
        (held,) = await waiting(front, shop)
        answer = await front.http.post(f"{LOOSENINGS}/{held['id']}/{how}", headers=who)
        assert answer.status_code == 200, answer.text

    async def rotated(who: dict[str, str]) -> SignedSender:
        told = (await front.http.post(rotate, headers=who)).json()
        return SignedSender(urlsplit(told["url"]).path, told["secret"])

    async def taken(sender: SignedSender, name: str) -> bool:
        answer = await sender.send(front.http, name, text="hello", verified=True)
        return answer.status_code == 200

    await decide(third, "approve")
    refused = await rotated(admin)
    assert await taken(refused, "m1")
    await decide(owner, "cancel")
    approved = await rotated(owner)
    await decide(third, "approve")

    assert await taken(approved, "m2")
    assert not await taken(refused, "m3")
