"""The guide's page about each page of the dashboard, for the menu's entry Help."""

from collections.abc import Mapping
from typing import Final

from api.dashboard.navigation import MenuPlace

GUIDE: Final = "/docs/guide"

_PAGES: Final[Mapping[str, str]] = {
    "overview": "pages.html#home",
    "churn": "metrics.html#churn",
    "metrics": "metrics.html#insight",
    "gaps": "metrics.html#knowledge-gaps",
    "articles": "pages.html#testing-an-article",
    "templates": "playbooks.html#templates",
    "policy": "playbooks.html#the-policy-page",
    "playbooks": "playbooks.html",
    "policy_versions": "playbooks.html",
    "loosenings": "playbooks.html#changes-that-loosen-limits",
    "automation": "playbooks.html",
    "simulator": "simulator.html",
    "cases": "simulator.html",
    "replays": "simulator.html",
    "corrections": "learning.html",
    "examples": "learning.html",
    "integrations": "integrations.html",
    "widget": "widget.html",
    "mail_sender": "mail.html",
    "members": "accounts.html",
    "usage": "billing.html",
    "data": "export.html",
    "keys": "api.html",
    "webhooks": "webhooks.html",
    "inbound": "inbound.html",
    "audit": "audit.html",
}
"""The page of the guide about each view of the menu, with its section."""

_INBOX: Final = "pages.html#the-inbox"
_REVIEW: Final = "reviews.html"
_COPILOT: Final = "copilot.html"
_OTHERWISE: Final = "pages.html"
# The guide has these pages in French.
_FRENCH: Final = {"widget.html": "widget.fr.html"}


def guide_page(place: MenuPlace, path: str, language: str) -> str:
    """Return the address of the guide's page about a page of the dashboard."""
    if path.startswith("/app/reviews/"):
        page = _REVIEW
    elif path.startswith("/app/copilot"):
        page = _COPILOT
    elif place.entry == "inbox":
        page = _INBOX
    else:
        page = _PAGES.get(place.view, _OTHERWISE)
    return f"{GUIDE}/{_FRENCH.get(page, page) if language == 'fr' else page}"
