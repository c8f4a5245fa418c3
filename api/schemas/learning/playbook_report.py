"""Response models for the shadow mode and threshold reports."""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

from api.schemas.core.client_query import ClientQuery
from domain.agent.brain import Category
from domain.agent.grounding.facts import FactKind
from domain.learning.shadow_report import (
    Agreement,
    ClassCounts,
    NotReady,
    ShadowExample,
    ShadowReport,
)
from domain.learning.threshold_advice import ThresholdAdvice, ThresholdPoint
from domain.learning.threshold_words import in_english, in_french


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True)


class AdviceQuery(ClientQuery):
    classification: Annotated[
        Category | None,
        Field(alias="class", description="Category to report on; defaults to all categories."),
    ] = None


class ShadowTally(_Answer):
    """Counts for all messages, or for the messages in one category."""

    classification: str = Field(
        description="Category of the counted messages; empty for the total of all categories."
    )
    kept: int = Field(description="Number of messages that the agent processed.")
    settled: int = Field(
        description=(
            "Number of settled messages. A message is settled once human agents have handled it."
        )
    )
    expired: int = Field(
        description="Number of settled messages whose review expired without a decision."
    )
    answers: int = Field(
        description="Number of settled messages that the agent would have answered."
    )
    silences: int = Field(
        description="Number of settled messages that the agent would have left unanswered."
    )
    reviews: int = Field(
        description="Number of settled messages that the agent would have held for human review."
    )
    agreement: Agreement = Field(
        description=(
            "Fraction of messages for which the agent's answer agrees with the human answer, with "
            "its 95 % confidence interval."
        )
    )
    conflicts: int = Field(
        description=(
            "Number of messages for which the agent's answer and the human answer contain "
            "different amounts, dates, links or numbers."
        )
    )
    money_differs: int = Field(
        description=(
            "Number of messages for which the AI agent and the human agents chose different "
            "money or order actions."
        )
    )
    mean_similarity: float | None = Field(
        description=(
            "Mean similarity between the agent's texts and the human texts, from 0 to 1, or null."
        )
    )

    @classmethod
    def of(cls, counts: ClassCounts) -> Self:
        return cls.model_validate(counts, from_attributes=True)


class ShadowAnswer(_Answer):
    playbook_id: str
    version: int | None = Field(
        description="Latest version that ran in shadow mode; null if there was none."
    )
    ready: bool = Field(description="True if nothing prevents the playbook from going live.")
    not_ready: tuple[NotReady, ...] = Field(
        description="Reasons why the playbook should stay in shadow mode."
    )
    waiting: int = Field(description="Number of messages that human agents have not handled yet.")
    total: ShadowTally
    classes: tuple[ShadowTally, ...]
    conflicts: dict[FactKind, int] = Field(
        description=(
            "Number of differences between the agent's answers and the human answers, by kind of "
            "fact."
        )
    )
    examples: tuple[ShadowExample, ...] = Field(
        description=(
            "Example messages. Messages with differing answers come first, then the latest "
            "messages. Each text has at most 2,000 characters."
        )
    )

    @classmethod
    def of(cls, report: ShadowReport) -> Self:
        return cls(
            playbook_id=report.playbook_id,
            version=report.version,
            ready=report.ready,
            not_ready=report.not_ready,
            waiting=report.waiting,
            total=ShadowTally.of(report.total),
            classes=tuple(map(ShadowTally.of, report.classes)),
            conflicts=report.conflicts,
            examples=report.examples,
        )


class PointInWords(ThresholdPoint):
    """A threshold with its hypothetical results, described in sentences."""

    text_fr: str
    text_en: str

    @classmethod
    def of(cls, point: ThresholdPoint) -> Self:
        return cls(**point.model_dump(), text_fr=in_french(point), text_en=in_english(point))


class AdviceAnswer(_Answer):
    runs: int = Field(description="Number of past runs in the report, at most 2,000.")
    current: PointInWords
    suggested: PointInWords | None = Field(
        description=(
            "Lowest threshold that would have held three out of four corrected answers for "
            "human review; null if too few corrections are known. This threshold is never "
            "applied automatically."
        )
    )
    curve: tuple[ThresholdPoint, ...]

    @classmethod
    def of(cls, advice: ThresholdAdvice) -> Self:
        suggested = advice.suggested
        return cls(
            runs=advice.runs,
            current=PointInWords.of(advice.current),
            suggested=None if suggested is None else PointInWords.of(suggested),
            curve=advice.curve,
        )
