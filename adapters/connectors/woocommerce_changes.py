"""Poll a WooCommerce shop for changed orders. Changes have the same format as `order.updated`
webhooks."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from pydantic import BaseModel, JsonValue, RootModel, ValidationError

from adapters.connectors.http import Rows
from adapters.connectors.woocommerce import WooCommerce
from domain.inbound.polling import ChangesPage, FoundChange, poll_name
from domain.integrations.errors import ActionUnreachable

_TOPIC: Final = "order.updated"
# Pages are small because an order may be long and the response size is limited (`http.MAX_BODY`).
_A_PAGE: Final = 20
# The next page starts one second before the last order's time because `modified_after` excludes the
# given time. The value is the resolution of WooCommerce's timestamps.
_TICK: Final = timedelta(seconds=1)


class _Named(BaseModel):
    id: int
    date_modified_gmt: datetime

    @property
    def modified(self) -> datetime:
        return self.date_modified_gmt.replace(tzinfo=UTC)


class _Found(RootModel[Rows[dict[str, JsonValue]]]):
    pass


class WooCommerceChanges:
    """The changes in a WooCommerce shop, as `domain.inbound.polling.Polls`.

    Each page starts at the last order's time. Numbered pages would skip orders because a changed
    order moves to the end. They are used only if all orders on a page have the same time.
    """

    def __init__(self, shop: WooCommerce) -> None:
        self._shop = shop

    async def changes(self, position: Mapping[str, str], since: datetime) -> ChangesPage:
        begin = datetime.fromisoformat(position["since"]) if "since" in position else since
        page = int(position.get("page", "1"))
        query = {
            "modified_after": begin.astimezone(UTC).replace(tzinfo=None, microsecond=0).isoformat(),
            "dates_are_gmt": "true",
            "orderby": "modified",
            "order": "asc",
            "status": "any",
            "per_page": str(_A_PAGE),
            "page": str(page),
        }
        found = (await self._shop.list_orders(query, _Found)).root
        named = [_named(order) for order in found]
        changes = tuple(
            FoundChange(
                poll_name(_TOPIC, str(one.id), one.modified.isoformat()),
                json.dumps(order).encode(),
            )
            for one, order in zip(named, found, strict=True)
        )
        last = named[-1].modified - _TICK if named else begin
        has_more = len(found) >= _A_PAGE
        if has_more and last <= begin:
            onward = {"since": begin.isoformat(), "page": str(page + 1)}
        else:
            onward = {"since": max(last, begin).isoformat()}
        return ChangesPage(changes, onward, has_more=has_more)


def _named(order: dict[str, JsonValue]) -> _Named:
    try:
        return _Named.model_validate(order)
    except ValidationError:
        pass  # Raise outside `except`, because this error quotes the response.
    raise ActionUnreachable("an order without its time")
