"""Pages of received webhooks."""

from typing import Final

from api.dashboard.routers.inbound import inbound_pages

ROUTERS: Final = (inbound_pages.router,)
