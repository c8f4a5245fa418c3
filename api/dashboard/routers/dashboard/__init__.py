"""The dashboard's Home, its search, the user's preferences page, and routes used by all forms."""

from typing import Final

from api.dashboard.routers.dashboard import (
    draft_forms,
    improvement_page,
    me_page,
    notification_form,
    overview,
    search_pages,
)

ROUTERS: Final = (
    overview.router,
    improvement_page.router,
    search_pages.router,
    me_page.router,
    notification_form.router,
    draft_forms.router,
)
