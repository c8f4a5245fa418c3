"""Templates that a member inserts into a reply: the search, and the filled texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from api.dashboard.page import Page
from api.schemas.core.client_query import ClientQuery
from domain.agent.frame import AnswerFrame
from domain.agent.greeting import greeted_name
from domain.agent.macro import inserted
from domain.agent.template import Filled
from domain.content.content import TemplateEntry
from domain.content.macro_search import MAX_SEARCH, MacroSearch, shortcut_of
from domain.core.ids import ULID
from domain.intake.event import Channel, UnifiedEvent
from domain.integrations.order import Order
from store.content.content_changes import ContentChanges
from store.content.template_search import TemplateSearch
from store.intake.events import EventRepository
from store.integrations.integrations import IntegrationRepository
from store.runs.found_order import found_order
from store.tenants.client_settings import SettingsRepository

_SHOWN: Final = 6

_Search = Annotated[str, Field(max_length=MAX_SEARCH, pattern=r"^[^\x00]*$")]


class MacroQuery(ClientQuery):
    """Query parameters of a page with a reply form.

    - `macro`: the search for a template, and `language` the customer's.
    - `template`: the template to insert, without a script.
    - `inbox`: the list that the member came from.
    """

    macro: _Search = ""
    language: Annotated[str, Field(pattern=r"^[a-z]{0,3}$")] = ""
    template: Annotated[str | None, Field(pattern=ULID)] = None
    inbox: Annotated[str | None, Field(max_length=1000)] = None


@dataclass(frozen=True, slots=True)
class Macro:
    """A template, and its text as inserted into this reply."""

    id: str
    name: str
    language: str
    shortcut: str
    text: str


@dataclass(frozen=True, slots=True)
class MacroList:
    """The templates found by a search, those in the customer's language first."""

    search: str
    language: str
    found: Sequence[Macro]


@dataclass(frozen=True, slots=True)
class _Answered:
    """The values that fill a template in a reply to a message."""

    event: UnifiedEvent
    order: Order | None
    frame: dict[str, dict[str, str]]
    has_shop: bool

    def fill(self, page: Page, template: TemplateEntry) -> Filled:
        """Return a template filled in for the reply."""
        frame = AnswerFrame.of(
            self.frame, brand_name=page.brand_name, customer_name=greeted_name(self.event)
        )
        return inserted(
            template,
            self.event,
            frame,
            brand_name=page.brand_name,
            has_shop=self.has_shop,
            order=self.order,
            today=page.now.date(),
        )


async def macro_of(page: Page, event_id: str, template_id: str) -> Filled:
    """Return a template, filled in for the reply to a message. Raises ContentNotFound."""
    async with page.resources.database.reading(page.tenant) as connection:
        template = await ContentChanges(connection, page.tenant).read(TemplateEntry, template_id)
    return (await _answered(page, event_id)).fill(page, template)


async def macros_of(page: Page, event_id: str, language: str | None, search: str) -> MacroList:
    """Return the templates that match a search, filled in for the reply to a message. `language`:
    the customer's, or None if unknown."""
    async with page.resources.database.reading(page.tenant) as connection:
        found = await TemplateSearch(connection, page.tenant).find(
            MacroSearch.of(search), language=language or page.language, limit=_SHOWN
        )
    answered = await _answered(page, event_id)
    return MacroList(
        search,
        language or "",
        [
            Macro(
                id=one.id,
                name=one.name,
                language=one.language,
                shortcut=shortcut_of(one.name),
                text=answered.fill(page, one).text,
            )
            for one in found
        ],
    )


async def _answered(page: Page, event_id: str) -> _Answered:
    async with page.resources.database.reading(page.tenant) as connection:
        event = await EventRepository(connection, page.tenant).unified(event_id)
        settings = await SettingsRepository(connection, page.tenant).read()
        return _Answered(
            event=event or UnifiedEvent(channel=Channel.API),
            order=await found_order(connection, page.tenant, event_id),
            frame=settings.frame,
            has_shop=await IntegrationRepository(connection, page.tenant).has_shop(),
        )
