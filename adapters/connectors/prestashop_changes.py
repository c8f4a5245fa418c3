"""Poll a PrestaShop shop for changed orders. Changes have the same format as webhooks from the
shop's module (`docs/inbound/prestashop.md`)."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from adapters.connectors.prestashop import ChangedOrder, PrestaShop
from domain.inbound.polling import ChangesPage, FoundChange, poll_name

_TOPIC: Final = "order.updated"
_A_PAGE: Final = 20
_TICK: Final = timedelta(seconds=1)
# The maximum time by which a shop's local time is behind UTC. PrestaShop writes local times without
# an offset.
_BEHIND: Final = timedelta(hours=12)


class PrestaShopChanges:
    """The changes in a PrestaShop shop, as `domain.inbound.polling.Polls`. Pages work as in
    `WooCommerceChanges`."""

    def __init__(self, shop: PrestaShop) -> None:
        self._shop = shop

    async def changes(self, position: Mapping[str, str], since: datetime) -> ChangesPage:
        at = position.get("since")
        begin = datetime.fromisoformat(at) if at else since - _BEHIND
        skip = int(position.get("skip", "0"))
        found = await self._shop.changed_after(begin, skip=skip, most=_A_PAGE)
        changes = tuple(
            FoundChange(
                poll_name(_TOPIC, one.order.id, one.updated_at.isoformat()),
                json.dumps({"type": _TOPIC, "data": _data(one)}).encode(),
            )
            for one in found
        )
        last = found[-1].updated_at - _TICK if found else begin
        has_more = len(found) >= _A_PAGE
        onward = {"since": max(last, begin).isoformat()}
        if has_more and last <= begin:
            onward = {"since": begin.isoformat(), "skip": str(skip + _A_PAGE)}
        return ChangesPage(changes, onward, has_more=has_more)


def _data(changed: ChangedOrder) -> dict[str, object]:
    order = changed.order
    return {
        "id": order.id,
        "reference": order.number,
        "updated_at": changed.updated_at.isoformat(),
        "email": order.customer_email,
        "state": order.state.value,
        "total": order.total.decimal(),
        "currency": order.total.currency,
        "placed_at": order.placed_at.isoformat(),
        "items": [{"name": name, "quantity": quantity} for name, quantity in changed.rows],
    }
