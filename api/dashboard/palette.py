"""The command palette: pages and actions available to the member, and records found by a search."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Final

from api.dashboard.navigation import menu_of
from api.dashboard.page import Page
from domain.core.plain_text import shortened
from domain.customers.customer import Customer
from domain.dashboard.search import FoundTicket, matches, searched_words
from domain.tenants.actor import ANYONE, MANAGERS, REVIEWERS
from domain.tenants.client import Role
from services.dashboard.search import SearchResults
from store.runs.anything import NamedRecord

SHOWN: Final = 6
"""Maximum number of items in a group."""

_LATEST_CHARS: Final = 80


@dataclass(frozen=True, slots=True)
class PaletteAction:
    """An action in the palette. `name` is the key of its label, and `path` the page with its
    form."""

    name: str
    path: str
    icon: str
    roles: Set[Role] = MANAGERS


ACTIONS: Final = (
    PaletteAction("approve", "/app/inbox", "check", REVIEWERS),
    PaletteAction("article", "/app/knowledge/new", "plus"),
    PaletteAction("try_agent", "/app/simulator", "flask-conical", REVIEWERS),
    PaletteAction("invite", "/app/members", "users"),
    PaletteAction("template", "/app/templates/new", "plus"),
    PaletteAction("ticket", "/app/tickets/new", "send", REVIEWERS),
    PaletteAction("test", "/app/simulator/cases/new", "plus", REVIEWERS),
    PaletteAction("backtest", "/app/replays/new", "history"),
    PaletteAction("import", "/app/knowledge/import", "download"),
    PaletteAction("playbook", "/app/playbooks/new", "plus"),
    PaletteAction("webhook", "/app/webhooks/new", "webhook"),
    PaletteAction("key", "/app/keys/new", "key-round"),
    PaletteAction("stop", "/app/automation", "lock"),
    PaletteAction("copilot", "/app/copilot", "sparkles", ANYONE),
    PaletteAction("help", "/app/copilot", "life-buoy", ANYONE),
    PaletteAction("notifications", "/app/me", "mail", ANYONE),
)


@dataclass(frozen=True, slots=True)
class PaletteItem:
    """A line in the palette. `note` follows the label. If `is_said` is true, a customer wrote the
    label or the note."""

    label: str
    href: str
    icon: str
    note: str = ""
    is_said: bool = False


@dataclass(frozen=True, slots=True)
class PaletteGroup:
    """A group in the palette. `name` is the key of its heading."""

    name: str
    items: tuple[PaletteItem, ...]


def palette_groups(
    page: Page, asked: str, found: SearchResults, names: Mapping[str, str]
) -> tuple[PaletteGroup, ...]:
    """Return the palette's nonempty groups. `asked` is the member's input. `found` are the matching
    records, or the latest tickets without input. `names`: customers' names by address."""
    words = searched_words(asked)
    tickets = PaletteGroup("tickets", tuple(_ticket(page, one, names) for one in found.tickets))
    pages = PaletteGroup("go", tuple(_pages(page, words))[:SHOWN])
    actions = PaletteGroup("do", tuple(_actions(page, words))[:SHOWN])
    groups: tuple[PaletteGroup, ...]
    if not asked:
        groups = (PaletteGroup("recent", tickets.items), actions, pages)
    elif not words:
        groups = (_customers(found.customers), tickets)
    else:
        records = PaletteGroup("records", tuple(_record(page, one) for one in found.records))
        groups = (
            pages,
            actions,
            records,
            _customers(found.customers),
            tickets,
            _orders(page, found, names),
            _articles(found),
        )
    return tuple(group for group in groups if group.items)


def record_address(record: NamedRecord) -> str:
    """Return the path of a record's page."""
    if record.kind == "delivery":
        return f"/app/webhooks/{record.within}/deliveries/{record.id}"
    return f"/app/{record.kind}s/{record.id}"


def _pages(page: Page, words: tuple[str, ...]) -> Iterator[PaletteItem]:
    for entry in menu_of(page.actor):
        label = page.say(f"frame.entries.{entry.name}")
        for view in entry.views:
            own = page.say(f"frame.views.{view.name}")
            note = label if own != label else ""
            if matches(words, f"{own} {note}"):
                yield PaletteItem(own, view.href, entry.icon, note)


def _actions(page: Page, words: tuple[str, ...]) -> Iterator[PaletteItem]:
    for action in ACTIONS:
        label = page.say(f"palette.actions.{action.name}")
        if page.may(action.roles) and matches(words, label):
            yield PaletteItem(label, action.path, action.icon)


def _record(page: Page, record: NamedRecord) -> PaletteItem:
    label = page.say(f"palette.records.{record.kind}")
    return PaletteItem(label, record_address(record), "file-text", record.id)


def _customers(customers: tuple[Customer, ...]) -> PaletteGroup:
    return PaletteGroup(
        "customers",
        tuple(
            PaletteItem(
                one.name or one.email,
                f"/app/customers/{one.id}",
                "users",
                one.email if one.name else "",
                is_said=True,
            )
            for one in customers
        ),
    )


def _ticket(page: Page, ticket: FoundTicket, names: Mapping[str, str]) -> PaletteItem:
    latest = shortened(" ".join((ticket.latest or "").split()), _LATEST_CHARS)
    who = _customer(page, ticket, names)
    return PaletteItem(
        who, f"/app/conversations/{ticket.id}", "message-circle", latest, is_said=True
    )


def _customer(page: Page, ticket: FoundTicket, names: Mapping[str, str]) -> str:
    address = ticket.customer_email or ""
    return names.get(address, address) or page.say("runs.talks.unknown")


def _orders(page: Page, found: SearchResults, names: Mapping[str, str]) -> PaletteGroup:
    label = page.say("palette.order", number=found.order)
    return PaletteGroup(
        "orders",
        tuple(
            PaletteItem(
                label,
                f"/app/conversations/{one.id}",
                "store",
                _customer(page, one, names),
                is_said=True,
            )
            for one in found.of_order
        ),
    )


def _articles(found: SearchResults) -> PaletteGroup:
    return PaletteGroup(
        "articles",
        tuple(
            PaletteItem(one.title, f"/app/knowledge/{one.id}", "file-text", one.language.upper())
            for one in found.articles
        ),
    )
