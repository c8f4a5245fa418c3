"""Request and response models for the dashboard's replay routes."""

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
from domain.tenants.answer_decision import AnswerDecision

_EXAMPLE: Final[JsonValue] = {"variant": {"threshold": 0.8}}


class ReplayVariantBody(StrictBody):
    """The variant to use in the replay. If all fields are omitted, the live content is used."""

    playbook_id: Annotated[
        str | None,
        Field(pattern=ULID, description=("Id of a stored playbook, which may be inactive.")),
    ] = None
    version: Annotated[
        Whole | None,
        Field(
            ge=1,
            le=2**31 - 1,
            description="Version of `playbook_id`; defaults to the current version.",
        ),
    ] = None
    playbook: Annotated[
        DraftShape | None,
        Field(
            description=(
                "Playbook draft. If `playbook_id` is given, the draft replaces that playbook. "
                "Otherwise, the draft is added as an active playbook."
            )
        ),
    ] = None
    threshold: Annotated[
        float | None,
        Field(
            ge=0,
            le=1,
            description=(
                "Confidence threshold for the selected playbook, or for every playbook if "
                "none is selected."
            ),
        ),
    ] = None
    embedded_brain: Annotated[
        bool, Field(description="Use the embedded brain, even if a language model is configured.")
    ] = False
    answers_from_knowledge: Annotated[
        bool | None,
        Field(
            description=(
                "Whether to send answers from knowledge without review; defaults to the "
                "client's setting."
            )
        ),
    ] = None
    answer_decision: Annotated[
        AnswerDecision | None,
        Field(
            description=(
                "Version of the decision whether an answer from knowledge is sent; defaults to "
                "the client's setting."
            )
        ),
    ] = None

    @property
    def variant(self) -> Variant:
        """Return the variant as a domain object. Raises InvalidPlaybook."""
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
            answer_decision=self.answer_decision,
        )


class NewReplayBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    client_id: Annotated[
        str | None,
        Field(description="ULID of the client; defaults to the caller's default client."),
    ] = None
    variant: ReplayVariantBody = ReplayVariantBody()
    since: Annotated[
        Day | None,
        Field(
            strict=False,
            description=f"First day, UTC. By default, the range covers {REPLAY_SPAN.days} days.",
        ),
    ] = None
    until: Annotated[
        Day | None,
        Field(strict=False, description="Last day of the range (UTC); defaults to today."),
    ] = None
    budget_micros: Annotated[
        Whole,
        Field(
            ge=0,
            le=MAX_BUDGET_MICROS,
            description="Maximum cost of language model calls, in millionths of a US dollar.",
        ),
    ] = DEFAULT_BUDGET_MICROS
    budget_s: Annotated[
        Whole,
        Field(ge=1, le=MAX_BUDGET_S, description=("Maximum duration of the replay, in seconds.")),
    ] = DEFAULT_BUDGET_S

    @property
    def asked(self) -> ReplayAsked:
        """Return the requested replay as a domain object. Raises InvalidPlaybook."""
        return ReplayAsked(
            variant=self.variant.variant,
            since=None if self.since is None else _midnight(self.since),
            until=None if self.until is None else _midnight(self.until) + timedelta(days=1),
            budget_micros=self.budget_micros,
            budget_s=self.budget_s,
        )


class ReplayStopBody(StrictBody):
    """An empty JSON object."""


class ExamplesQuery(PageQuery):
    kind: Annotated[
        ReplayChangeKind | None,
        Field(description=("Return only examples with this kind of difference.")),
    ] = None


class ReplayPage(BaseModel):
    replays: tuple[Replay, ...] = Field(description="Replays, newest first.")
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")


class ReplayExamplePage(BaseModel):
    examples: tuple[ReplayExample, ...] = Field(
        description="Examples of differing outcomes, in the order in which the events arrived."
    )
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
