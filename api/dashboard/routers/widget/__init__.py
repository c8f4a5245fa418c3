"""Dashboard pages for the chat widget."""

from typing import Final

from api.dashboard.routers.widget import widget_page

ROUTERS: Final = (widget_page.router,)
