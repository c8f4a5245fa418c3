"""Pages of content: knowledge and templates."""

from typing import Final

from api.dashboard.routers.content import knowledge_pages

ROUTERS: Final = (knowledge_pages.router,)
