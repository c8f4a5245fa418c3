"""The navigation menu: its pages, and the roles that see each page."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Final

from domain.tenants.actor import ANYONE, MANAGERS, REVIEWERS, Actor
from domain.tenants.client import Role


@dataclass(frozen=True, slots=True)
class Entry:
    """A menu item. `name`: the key of the item's label. `key`: the key to press after G to open the
    item. `also`: the path prefix of other pages that belong to the item."""

    name: str
    path: str
    roles: Set[Role] = ANYONE
    key: str = ""
    also: str = ""

    def has(self, path: str) -> bool:
        """Return True if the path is this item's page or a page below it."""
        below = [place for place in (self.path, self.also) if place not in ("", "/app")]
        return path == self.path or any(path.startswith(f"{place}/") for place in below)


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    entries: tuple[Entry, ...]


_MENU: Final = (
    Group(
        "work",
        (
            Entry("overview", "/app", key="o"),
            Entry("reviews", "/app/reviews", key="r"),
            Entry("conversations", "/app/conversations", key="c"),
            Entry("runs", "/app/runs", key="u"),
        ),
    ),
    Group(
        "agent",
        (
            Entry("playbooks", "/app/playbooks", key="p"),
            Entry("simulator", "/app/simulator", REVIEWERS, key="s"),
            Entry("cases", "/app/simulator/cases", key="e"),
            Entry("replays", "/app/replays"),
            Entry("corrections", "/app/corrections", key="l"),
            Entry("knowledge", "/app/knowledge", key="k"),
            Entry("templates", "/app/templates", key="t"),
            Entry("suggestions", "/app/suggestions"),
            Entry("loosenings", "/app/loosenings"),
            Entry("automation", "/app/automation"),
        ),
    ),
    Group(
        "connect",
        (
            Entry("integrations", "/app/integrations", key="i"),
            Entry("inbound", "/app/inbound"),
            Entry("widget", "/app/widget"),
            Entry("mail_sender", "/app/mail-sender", MANAGERS),
            Entry("webhooks", "/app/webhooks", MANAGERS, key="w"),
            Entry("keys", "/app/keys", MANAGERS),
        ),
    ),
    Group(
        "account",
        (
            Entry("metrics", "/app/metrics", key="m"),
            Entry("usage", "/app/usage", also="/app/billing"),
            Entry("members", "/app/members", MANAGERS),
            Entry("data", "/app/data", MANAGERS),
            Entry("audit", "/app/audit", MANAGERS),
            Entry("settings", "/app/settings"),
        ),
    ),
)


def menu_of(actor: Actor) -> tuple[Group, ...]:
    """Return the menu items that the actor may open."""
    return tuple(
        Group(group.name, entries)
        for group in _MENU
        if (entries := tuple(entry for entry in group.entries if actor.may(entry.roles)))
    )


def entry_at(path: str) -> str:
    """Return the name of the menu item that the page at the given path belongs to, or an empty
    string."""
    fitting = [entry for group in _MENU for entry in group.entries if entry.has(path)]
    return max(fitting, key=lambda entry: len(entry.path)).name if fitting else ""
