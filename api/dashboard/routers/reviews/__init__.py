"""Dashboard pages for the inbox and its reviews, and pages to save a review's result as a case or
as knowledge."""

from typing import Final

from api.dashboard.routers.reviews import (
    inbox_pages,
    inbox_redirects,
    review_keeping_pages,
    review_pages,
)

ROUTERS: Final = (
    inbox_pages.router,
    inbox_redirects.router,
    review_pages.router,
    review_keeping_pages.router,
)
