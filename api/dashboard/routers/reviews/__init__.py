"""Pages of reviews: the queue, one review, and what is kept of it."""

from typing import Final

from api.dashboard.routers.reviews import review_keeping_pages, review_pages, review_queue_pages

ROUTERS: Final = (review_queue_pages.router, review_pages.router, review_keeping_pages.router)
