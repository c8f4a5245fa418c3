"""Requests and responses of the dashboard about replays."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from api.schemas.core.client_query import PageQuery
from api.schemas.core.day import Day
from api.schemas.core.strict_body import StrictBody, Whole
from domain.core.ids import ULID
from domain.playbooks.file import draft_in
from domain.playbooks.shape import DraftShape
from domain.simulation.replay import (
    DEFAULT_BUDGET_MICROS,
    DEFAULT_BUDGET_S,
    MAX_BUDGET_MICROS,
    MAX_BUDGET_S,
    REPLAY_SPAN,
    Replay,
    ReplayAsked,
    ReplayExample,
)
from domain.simulation.replay_facts import ReplayChangeKind
from domain.simulation.variant import Variant

_EXAMPLE: Final[JsonValue] = {"variant": {"threshold": 0.8}}


class ReplayVariantBody(StrictBody):
    """The variant to replay with. Without fields, the live content is used."""

    playbook_id: Annotated[
        str | None, Field(pattern=ULID, description="A stored playbook, on or off.")
    ] = None
    version: Annotated[
        Whole | None, Field(ge=1, le=2**31 - 1, description="Of it; absent: the current one.")
    ] = None
    playbook: Annotated[
        DraftShape | None,
        Field(description="A draft: in place of `playbook_id`, or one more that is on."),
    ] = None
    threshold: Annotated[
        float | None, Field(ge=0, le=1, description="Of that playbook; without one, of each.")
    ] = None
    embedded_brain: Annotated[
        bool, Field(description="Think with the embedded brain, whatever is configured.")
    ] = False
    answers_from_knowledge: Annotated[
        bool | None, Field(description="In place of the client's setting; absent: as it is set.")
    ] = None

    @property
    def variant(self) -> Variant:
        """The variant as the domain has it. Raises InvalidPlaybook."""
        draft = self.playbook and draft_in(
            self.playbook.model_dump(mode="json", exclude_unset=True)
        )
        return Variant(
            playbook_id=self.playbook_id,
            version=None if draft else self.version,
            draft=draft.spec if draft else None,
            threshold=self.threshold,
            embedded_brain=self.embedded_brain,
            answers_from_knowledge=self.answers_from_knowledge,
        )


class NewReplayBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    client_id: Annotated[str | None, Field(description="ULID; absent: the caller's own.")] = None
    variant: ReplayVariantBody = ReplayVariantBody()
    since: Annotated[
        Day | None,
        Field(strict=False, description=f"First day, UTC; absent: {REPLAY_SPAN.days} days in all."),
    ] = None
    until: Annotated[
        Day | None, Field(strict=False, description="Last day, UTC; absent: until now.")
    ] = None
    budget_micros: Annotated[
        Whole,
        Field(
            ge=0,
            le=MAX_BUDGET_MICROS,
            description="What a language model may cost, in millionths of a US dollar.",
        ),
    ] = DEFAULT_BUDGET_MICROS
    budget_s: Annotated[
        Whole, Field(ge=1, le=MAX_BUDGET_S, description="How many seconds it may work.")
    ] = DEFAULT_BUDGET_S

    @property
    def asked(self) -> ReplayAsked:
        """The requested replay. Raises InvalidPlaybook."""
        return ReplayAsked(
            variant=self.variant.variant,
            since=None if self.since is None else _midnight(self.since),
            until=None if self.until is None else _midnight(self.until) + timedelta(days=1),
            budget_micros=self.budget_micros,
            budget_s=self.budget_s,
        )


class ReplayStopBody(StrictBody):
    """An empty object."""


class ExamplesQuery(PageQuery):
    kind: Annotated[ReplayChangeKind | None, Field(description="Only those that differ so.")] = None


class ReplayPage(BaseModel):
    replays: tuple[Replay, ...] = Field(description="The newest first.")
    next_cursor: str | None = Field(description="Null: these are the last.")


class ReplayExamplePage(BaseModel):
    examples: tuple[ReplayExample, ...] = Field(description="In the order in which they came.")
    next_cursor: str | None = Field(description="Null: these are the last.")


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
