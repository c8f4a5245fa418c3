"""The copilot service: the data sources for the copilot's tools, and the data that the tools have
found."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final, Generic, TypeVar
from zoneinfo import ZoneInfo

from pydantic import JsonValue, ValidationError

from domain.copilot.answer import CitedKind, CitedRecord, DraftedChange
from domain.copilot.documents import DocumentIndex
from domain.copilot.formats import CopilotFormats
from domain.copilot.links import cited
from domain.copilot.safe_text import Links
from domain.copilot.tool import CopilotFacts, CopilotInput, OfferedTool, ToolFindings
from domain.core.errors import DomainError
from domain.core.ids import TenantId
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.analytics.gaps import GapReading
from services.content.search_turns import MessageSearchTurns
from services.core.fair_turns import FairTurns
from store.core.database import Database

Given = TypeVar("Given", bound=CopilotInput)
Facts = TypeVar("Facts", bound=CopilotFacts)

MAX_CITED: Final = 20
MAX_DRAFTS: Final = 10
MAX_FACTS: Final = 24_000
"""Maximum length of one tool's findings that are sent to a language model, in characters."""

# Characters with a special meaning in Markdown. They are removed from labels, so that a label
# cannot end its link early.
_MARKUP: Final = re.compile(r"[\[\]()<>*_`\\\s]+")
_LABEL_CHARS: Final = 80


@dataclass(frozen=True, slots=True)
class CopilotService:
    """The context in which tools answer one question. All reads are read-only and limited to the
    rows of `tenant`. `zone` determines the user's day."""

    database: Database
    tenant: TenantId
    actor: Actor
    now: datetime
    zone: ZoneInfo
    formats: CopilotFormats
    dashboard_url: str
    documents: DocumentIndex
    gaps: GapReading
    searches: FairTurns
    message_searches: MessageSearchTurns

    def cite(self, kind: CitedKind, record_id: str, title: str) -> CitedRecord:
        """Return a citation of a record, with the record's dashboard URL."""
        return cited(kind, record_id, title, self.dashboard_url)


@dataclass(frozen=True, slots=True)
class ReadTool(Generic[Given, Facts]):
    """A tool that reads data. `roles` are the roles of the `route` for the same data. If the tool
    has no such route, every member may use it."""

    name: str
    description: str
    roles: Set[Role]
    route: tuple[str, str] | None
    takes: type[Given]
    read: Callable[[CopilotService, Given], Awaitable[ToolFindings[Facts]]]


AnyTool = ReadTool[Any, Any]


@dataclass(slots=True)
class Trail:
    """The tools' findings for one answer, which may contain only these citations and drafts.
    `can_not` is the reason why there is no answer, or None."""

    copilot: CopilotService
    links: Links = field(default_factory=Links)
    citations: dict[str, CitedRecord] = field(default_factory=dict)
    drafts: list[DraftedChange] = field(default_factory=list)
    can_not: str | None = None

    @property
    def formats(self) -> CopilotFormats:
        return self.copilot.formats

    def link(self, kind: CitedKind, record_id: str, label: str) -> str:
        """Return a Markdown link to a record that a tool has cited, or only the label for another.
        Markup in `label` is removed because it may be customer text."""
        plain = _MARKUP.sub(" ", label).strip()[:_LABEL_CHARS] or record_id
        url = self.copilot.cite(kind, record_id, "").url
        return f"[{plain}]({url})" if url in self.citations else plain

    def forget(self, kind: CitedKind, record_id: str) -> None:
        """Remove a record from the citations because the answer does not use it."""
        self.citations.pop(self.copilot.cite(kind, record_id, "").url, None)

    def point_to(self, page: CitedKind) -> None:
        """Cite a dashboard page that lists records and that every role may open."""
        cited = self.copilot.cite(page, page.value, "")
        self.links.add((cited.url,))
        self.citations.setdefault(cited.url, cited)

    async def use(self, tool: ReadTool[Given, Facts], given: Given) -> Facts:
        """Run a tool and return the facts found. Raises RoleRequired and the tool's errors."""
        self.copilot.actor.require(tool.roles)
        found = await tool.read(self.copilot, given)
        self.links.add(one.url for one in found.cited)
        for one in found.cited:
            if len(self.citations) < MAX_CITED:
                self.citations.setdefault(one.url, one)
        self.drafts += [one for one in found.drafts if one not in self.drafts]
        del self.drafts[MAX_DRAFTS:]
        return found.facts

    def offered(self, tools: Sequence[AnyTool]) -> tuple[OfferedTool, ...]:
        """Return the tools that the user's role may use, as definitions for a language model."""
        return tuple(
            OfferedTool(
                name=one.name,
                description=one.description,
                schema=one.takes.model_json_schema(),
                call=partial(self._facts, one),
            )
            for one in tools
            if self.copilot.actor.may(one.roles)
        )

    async def _facts(self, tool: AnyTool, arguments: Mapping[str, JsonValue]) -> str:
        """Run a tool, and return its findings as JSON, with the links that may be cited. If the
        tool raises an error, the error is returned as JSON."""
        before = set(self.citations)
        try:
            facts: CopilotFacts = await self.use(tool, tool.takes.model_validate(arguments))
        except ValidationError as error:
            wrong = sorted({".".join(map(str, one["loc"])) for one in error.errors()[:5]})
            return json.dumps({"error": "invalid_arguments", "fields": wrong})
        except DomainError as error:
            return json.dumps({"error": error.code})
        # The titles of the cited records are omitted because they contain customer text.
        links = [
            one.model_dump(mode="json", include={"kind", "id", "url"})
            for url, one in self.citations.items()
            if url not in before
        ]
        facts_json = json.dumps(
            {"found": facts.model_dump(mode="json"), "links": links}, ensure_ascii=False
        )
        return (
            facts_json
            if len(facts_json) <= MAX_FACTS
            else facts_json[:MAX_FACTS] + "… [cut: ask for less]"
        )
