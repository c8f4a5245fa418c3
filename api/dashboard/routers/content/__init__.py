"""Dashboard pages for content: knowledge, templates and suggestions."""

from typing import Final

from api.dashboard.routers.content import (
    knowledge_gaps_pages,
    knowledge_import_pages,
    knowledge_pages,
    site_import_pages,
    suggestion_pages,
    template_pages,
)

# Routes with fixed paths precede routes with an id in the path. Otherwise, the id parameter would
# match the fixed paths.
ROUTERS: Final = (
    knowledge_gaps_pages.router,
    knowledge_import_pages.router,
    site_import_pages.router,
    knowledge_pages.router,
    template_pages.router,
    suggestion_pages.router,
)
