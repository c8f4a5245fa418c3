"""The copilot's desk: what its tools work with, and what they have found so far."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final, Generic, TypeVar

from pydantic import JsonValue, ValidationError

from domain.analytics.ports import ReadsQuestions
from domain.copilot.answer import CitedKind, CitedRecord, DraftedChange
from domain.copilot.documents import DocumentIndex
from domain.copilot.links import cited
from domain.copilot.safe_text import Links
from domain.copilot.tool import CopilotFacts, CopilotInput, OfferedTool, ToolFindings
from domain.core.errors import DomainError
from domain.core.ids import TenantId
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from store.core.database import Database

Given = TypeVar("Given", bound=CopilotInput)
Facts = TypeVar("Facts", bound=CopilotFacts)

MAX_CITED: Final = 20
MAX_DRAFTS: Final = 10
MAX_FACTS: Final = 24_000
"""Characters of one tool's findings that a language model is given."""


@dataclass(frozen=True, slots=True)
class CopilotDesk:
    """One question of one person. Every reading is in a transaction that PostgreSQL lets write
    nothing, on the rows of `tenant` alone."""

    database: Database
    tenant: TenantId
    actor: Actor
    now: datetime
    dashboard_url: str
    documents: DocumentIndex
    questions: ReadsQuestions

    def cite(self, kind: CitedKind, record_id: str, title: str) -> CitedRecord:
        return cited(kind, record_id, title, self.dashboard_url)


@dataclass(frozen=True, slots=True)
class ReadTool(Generic[Given, Facts]):
    """`roles`: those of the route that reads the same, `route`: its method and path; None where
    there is no such route, and then every member may."""

    name: str
    description: str
    roles: Set[Role]
    route: tuple[str, str] | None
    takes: type[Given]
    read: Callable[[CopilotDesk, Given], Awaitable[ToolFindings[Facts]]]


AnyTool = ReadTool[Any, Any]


@dataclass(slots=True)
class Trail:
    """What the tools have found for one answer: the citations and drafts that it may have."""

    desk: CopilotDesk
    links: Links = field(default_factory=Links)
    citations: dict[str, CitedRecord] = field(default_factory=dict)
    drafts: list[DraftedChange] = field(default_factory=list)

    async def use(self, tool: ReadTool[Given, Facts], given: Given) -> Facts:
        """Raises RoleRequired where the user may not read this, and what the reading raises."""
        self.desk.actor.require(tool.roles)
        found = await tool.read(self.desk, given)
        self.links.add(one.url for one in found.cited)
        for one in found.cited:
            if len(self.citations) < MAX_CITED:
                self.citations.setdefault(one.url, one)
        self.drafts += [one for one in found.drafts if one not in self.drafts]
        del self.drafts[MAX_DRAFTS:]
        return found.facts

    def offered(self, tools: Sequence[AnyTool]) -> tuple[OfferedTool, ...]:
        """Those that the user's role may use, for a language model."""
        return tuple(
            OfferedTool(
                name=one.name,
                description=one.description,
                schema=one.takes.model_json_schema(),
                call=partial(self._told, one),
            )
            for one in tools
            if self.desk.actor.may(one.roles)
        )

    async def _told(self, tool: AnyTool, arguments: Mapping[str, JsonValue]) -> str:
        """The findings as JSON, with the links that may be cited; an error as well."""
        before = set(self.citations)
        try:
            facts: CopilotFacts = await self.use(tool, tool.takes.model_validate(arguments))
        except ValidationError as error:
            wrong = sorted({".".join(map(str, one["loc"])) for one in error.errors()[:5]})
            return json.dumps({"error": "invalid_arguments", "fields": wrong})
        except DomainError as error:
            return json.dumps({"error": error.code})
        # Without titles: those are made of what customers wrote.
        links = [
            one.model_dump(mode="json", include={"kind", "id", "url"})
            for url, one in self.citations.items()
            if url not in before
        ]
        told = json.dumps(
            {"found": facts.model_dump(mode="json"), "links": links}, ensure_ascii=False
        )
        return told if len(told) <= MAX_FACTS else told[:MAX_FACTS] + "… [cut: ask for less]"
