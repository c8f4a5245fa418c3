"""Dashboard pages for the audit log."""

from typing import Final

from api.dashboard.routers.audit import audit_pages

ROUTERS: Final = (audit_pages.router,)
