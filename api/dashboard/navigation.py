"""The navigation menu: eight entries with their views, and the roles that see each view. The views
of the inbox are one page with different queries; saved views are added to them."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from typing import Final

from domain.tenants.actor import ANYONE, MANAGERS, REVIEWERS, Actor
from domain.tenants.client import Role

HOME: Final = "/app"
INBOX: Final = "/app/inbox"


@dataclass(frozen=True, slots=True)
class View:
    """A page in the menu.

    - `name`: the key of its label, and `label` a saved view's own name.
    - `key`: the keyboard shortcut after G.
    - `also`: path prefixes of further pages of the view.
    - `query`: distinguishes views with the same path.
    """

    name: str
    path: str
    roles: Set[Role] = ANYONE
    key: str = ""
    also: tuple[str, ...] = ()
    query: str = ""
    label: str = ""

    @property
    def href(self) -> str:
        """Return the view's address."""
        return f"{self.path}?{self.query}" if self.query else self.path

    def match(self, path: str) -> int:
        """Return the length of the view's longest prefix of `path`, or 0. The view with the longest
        match wins. Views with a query are found by name (`place_of`)."""
        if self.query:
            return 0
        below = [prefix for prefix in (self.path, *self.also) if prefix != HOME]
        found = [len(one) for one in below if path.startswith((f"{one}/", f"{one}."))]
        exact = [len(one) for one in (self.path, *self.also) if path == one]
        return max(found + exact, default=0)


@dataclass(frozen=True, slots=True)
class Group:
    """A group of views. `name` is the key of the group's heading, or an empty string for no
    heading."""

    views: tuple[View, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A menu entry. `icon` is in the sprite. `section` is the key of a heading above it. If `aside`
    is true, the views are next to the page instead of below the entry."""

    name: str
    icon: str
    groups: tuple[Group, ...]
    section: str = ""
    aside: bool = False

    @property
    def views(self) -> tuple[View, ...]:
        return tuple(view for group in self.groups for view in group.views)

    @property
    def path(self) -> str:
        """Return the path of the entry's first view."""
        return self.views[0].path


@dataclass(frozen=True, slots=True)
class MenuPlace:
    """A page's position in the menu: the names of its entry and its view. Both are empty for a page
    that is not in the menu."""

    entry: str = ""
    view: str = ""


_MENU: Final = (
    Entry("home", "house", (Group((View("overview", HOME, key="o"),)),)),
    Entry(
        "inbox",
        "inbox",
        (
            Group(
                (
                    View(
                        "needs",
                        INBOX,
                        key="r",
                        also=(
                            "/app/reviews",
                            "/app/conversations",
                            "/app/tickets",
                            "/app/attachments",
                        ),
                    ),
                    View("mine", INBOX, query="view=mine"),
                    View("second", INBOX, query="view=second"),
                    View("unanswered", INBOX, query="view=unanswered"),
                    View("agent", INBOX, query="view=agent"),
                    View("all", INBOX, key="c", query="view=all"),
                    View("decided", INBOX, query="view=decided"),
                )
            ),
        ),
    ),
    Entry(
        "customers",
        "users",
        (Group((View("customers", "/app/customers"), View("churn", "/app/metrics/churn"))),),
    ),
    Entry(
        "insights",
        "chart-column",
        (
            Group(
                (
                    View("metrics", "/app/metrics", key="m"),
                    View("gaps", "/app/knowledge/gaps"),
                )
            ),
        ),
    ),
    Entry(
        "knowledge",
        "book-open",
        (
            Group(
                (
                    View("articles", "/app/knowledge", key="k"),
                    View("templates", "/app/templates", key="t"),
                    View("suggestions", "/app/suggestions"),
                    View("import", "/app/knowledge/import", MANAGERS),
                    View("site", "/app/knowledge/site"),
                )
            ),
        ),
        section="agent",
    ),
    Entry(
        "policy",
        "shield-check",
        (
            Group(
                (
                    View("policy", "/app/policy", key="p"),
                    View("playbooks", "/app/playbooks"),
                    View("policy_versions", "/app/policy/versions"),
                    View("loosenings", "/app/loosenings"),
                    View("automation", "/app/automation"),
                )
            ),
        ),
    ),
    Entry(
        "testing",
        "flask-conical",
        (
            Group(
                (
                    View("simulator", "/app/simulator", REVIEWERS, key="s"),
                    View(
                        "cases",
                        "/app/simulator/cases",
                        key="e",
                        also=("/app/simulator/runs", "/app/simulator/case-file"),
                    ),
                    View("replays", "/app/replays"),
                    View("corrections", "/app/corrections", key="l"),
                    View("examples", "/app/examples"),
                )
            ),
        ),
    ),
    Entry(
        "settings",
        "settings",
        (
            Group(
                (
                    View("settings", "/app/settings"),
                    View("integrations", "/app/integrations", key="i"),
                    View("widget", "/app/widget"),
                    View("mail_sender", "/app/mail-sender", MANAGERS),
                ),
                "shop",
            ),
            Group(
                (
                    View("members", "/app/members", MANAGERS),
                    View("usage", "/app/usage", also=("/app/billing",)),
                    View("data", "/app/data", MANAGERS, also=("/app/data-requests",)),
                    View("me", "/app/me"),
                ),
                "account",
            ),
            Group(
                (
                    View("keys", "/app/keys", MANAGERS),
                    View("webhooks", "/app/webhooks", MANAGERS, key="w"),
                    View("inbound", "/app/inbound"),
                    View("runs", "/app/runs", key="u"),
                    View("audit", "/app/audit", MANAGERS),
                ),
                "developers",
            ),
        ),
        aside=True,
    ),
)


def menu_of(actor: Actor, saved: Mapping[str, str] | None = None) -> tuple[Entry, ...]:
    """Return the menu with the views that the actor may open. `saved` are the names of the inbox's
    saved views, by id."""
    return tuple(
        replace(entry, groups=(*groups, *(_saved(saved) if entry.name == "inbox" else ())))
        for entry in _MENU
        if (groups := tuple(_groups_for(actor, entry)))
    )


def _saved(saved: Mapping[str, str] | None) -> Iterator[Group]:
    if saved:
        yield Group(
            tuple(
                View(view_id, INBOX, query=f"view={view_id}", label=name)
                for view_id, name in saved.items()
            )
        )


def _groups_for(actor: Actor, entry: Entry) -> Iterator[Group]:
    for group in entry.groups:
        views = tuple(view for view in group.views if actor.may(view.roles))
        if views:
            yield replace(group, views=views)


def place_of(path: str, inbox_view: str = "") -> MenuPlace:
    """Return the menu position of the page at a path. `inbox_view` is the name or id of the inbox's
    view that the page shows or belongs to; the default is the first view."""
    found = [
        (length, MenuPlace(entry.name, view.name))
        for entry in _MENU
        for view in entry.views
        if (length := view.match(path))
    ]
    place = max(found, key=lambda one: one[0])[1] if found else MenuPlace()
    return MenuPlace("inbox", inbox_view) if inbox_view and place.entry == "inbox" else place
