"""Dashboard pages for sign-in, sign-out and membership."""

from typing import Final

from api.dashboard.routers.identity import (
    enter_page,
    joining_pages,
    members_pages,
    provider_sign_in,
    sessions_page,
    sign_in_pages,
)

ROUTERS: Final = (
    sign_in_pages.router,
    enter_page.router,
    provider_sign_in.router,
    sessions_page.router,
    joining_pages.router,
    members_pages.router,
)
