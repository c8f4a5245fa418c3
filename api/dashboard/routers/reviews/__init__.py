"""Dashboard pages for the inbox and its reviews. Other pages save a review's result as a case or as
knowledge, and turn off a member's emails."""

from typing import Final

from api.dashboard.routers.reviews import (
    inbox_pages,
    inbox_redirects,
    review_keeping_pages,
    review_pages,
    unsubscribe_page,
)

ROUTERS: Final = (
    inbox_pages.router,
    inbox_redirects.router,
    review_pages.router,
    review_keeping_pages.router,
    unsubscribe_page.router,
)
