"""Dashboard pages for saved cases, case runs and the case file."""

from typing import Final

from api.dashboard.routers.cases import case_file_pages, case_run_pages, saved_case_pages

ROUTERS: Final = (case_run_pages.router, case_file_pages.router, saved_case_pages.router)
