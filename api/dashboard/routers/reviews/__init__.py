"""Dashboard pages for reviews: the review queue, a single review, and pages to save a review's
result as a case or as knowledge."""

from typing import Final

from api.dashboard.routers.reviews import review_keeping_pages, review_pages, review_queue_pages

ROUTERS: Final = (review_queue_pages.router, review_pages.router, review_keeping_pages.router)
