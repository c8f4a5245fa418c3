"""Dashboard pages for inbound webhooks."""

from typing import Final

from api.dashboard.routers.inbound import inbound_pages

ROUTERS: Final = (inbound_pages.router,)
