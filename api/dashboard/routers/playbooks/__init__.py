"""Pages of playbooks."""

from typing import Final

from api.dashboard.routers.playbooks import (
    editor_pages,
    playbook_file_pages,
    playbook_pages,
    report_pages,
    version_pages,
)

# Those with a path of their own come before those with an id in their path.
ROUTERS: Final = (
    playbook_file_pages.router,
    editor_pages.router,
    playbook_pages.router,
    report_pages.router,
    version_pages.router,
)
