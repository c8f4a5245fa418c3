"""Dashboard pages for the inbox and its reviews, pages to save a review's result as a case or as
knowledge, and the page that turns off a member's emails."""

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
