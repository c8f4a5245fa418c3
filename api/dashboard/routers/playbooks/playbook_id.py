"""The playbook in a page's path, and the tabs of its pages."""

from typing import Annotated, Final

from fastapi import Depends

from api.dashboard.page import OnPage, Page
from api.dashboard.playbook_form import PLAYBOOKS
from api.dashboard.post import Post, Posted
from api.route import PathId
from domain.playbooks.errors import PlaybookNotFound
from domain.playbooks.playbook import Playbook
from domain.tenants.actor import ANYONE, MANAGERS, REVIEWERS
from store.playbooks.playbooks import client_of

PLAYBOOK: Final = f"{PLAYBOOKS}/{{playbook_id}}"
_ID: Final = PathId("playbook_id", "playbook", PlaybookNotFound)

PlaybookPage = Annotated[Page, Depends(OnPage(ANYONE, _ID, client_of))]
ManagersPlaybook = Annotated[Page, Depends(OnPage(MANAGERS, _ID, client_of))]
PlaybookPost = Annotated[Post, Depends(Posted(MANAGERS, _ID, client_of))]
ReviewersPlaybookPost = Annotated[Post, Depends(Posted(REVIEWERS, _ID, client_of))]


def seen_of(playbook: Playbook) -> str:
    """Return a value that identifies the version shown in a form. The value does not depend on
    whether the playbook is active."""
    return str(playbook.version)


def version_seen(post: Post) -> int | None:
    seen = post.text("_seen")
    return int(seen) if seen.isdecimal() and len(seen) < 10 else None
