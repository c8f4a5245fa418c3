"""Dashboard pages for content: knowledge, templates and suggestions."""

from typing import Final

from api.dashboard.routers.content import (
    knowledge_gaps_pages,
    knowledge_import_pages,
    knowledge_pages,
    suggestion_pages,
    template_pages,
)

# Register routes with fixed paths before routes with an id in the path.
ROUTERS: Final = (
    knowledge_gaps_pages.router,
    knowledge_import_pages.router,
    knowledge_pages.router,
    template_pages.router,
    suggestion_pages.router,
)
