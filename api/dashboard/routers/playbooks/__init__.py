"""Dashboard pages for playbooks."""

from typing import Final

from api.dashboard.routers.playbooks import (
    editor_pages,
    playbook_file_pages,
    playbook_pages,
    policy_pages,
    report_pages,
    version_pages,
)

# Routes with fixed paths precede routes with an id in the path. Otherwise, the id parameter would
# match the fixed paths.
ROUTERS: Final = (
    playbook_file_pages.router,
    editor_pages.router,
    policy_pages.router,
    playbook_pages.router,
    report_pages.router,
    version_pages.router,
)
