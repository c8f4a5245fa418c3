"""Regenerate docs/page-access.md from the routes: `python -m scripts.page_access`."""

from pathlib import Path
from typing import Final

from domain.tenants.client import Role
from tests.support.dashboard.page_list import PageRoute, page_routes

FILE: Final = Path(__file__).parents[1] / "docs" / "page-access.md"
_ROLES: Final = (Role.OWNER, Role.ADMIN, Role.AGENT, Role.VIEWER)
_HEAD: Final = """\
# Page access

This page is for owners and developers. It lists the roles that are allowed to open each page of the
dashboard and submit each form. GET shows a page and does not change data. POST submits a form.
Without a permitted role, the response is 403 with a page that lists the permitted roles. For
another client's record, the response is 404. `python -m scripts.page_access` generates this file. A
test compares the file with the routes and tries each line.

"""
_OPEN: Final = """
## Without a membership

These pages are for sign-in, sign-out, a user's sessions, and a customer's rating of an answer. They
do not check a role. Each page checks a session, a code or the token in the link.

| Page | Method |
|---|---|
"""


def table() -> str:
    """Return the new text of docs/page-access.md."""
    routes = sorted(page_routes(), key=lambda one: (one.path, one.method))
    head = " | ".join(("Page", "Method", *(role.value for role in _ROLES)))
    lines = [f"| {head} |", "|" + "---|" * (2 + len(_ROLES))]
    lines += [_line(one) for one in routes if one.roles is not None]
    others = [f"| `{one.path}` | {one.method} |" for one in routes if one.roles is None]
    return _HEAD + "\n".join(lines) + "\n" + _OPEN + "\n".join(others) + "\n"


def _line(route: PageRoute) -> str:
    rights = ("yes" if role in (route.roles or ()) else "no" for role in _ROLES)
    return f"| `{route.path}` | {route.method} | {' | '.join(rights)} |"


if __name__ == "__main__":
    FILE.write_text(table(), encoding="utf-8")
