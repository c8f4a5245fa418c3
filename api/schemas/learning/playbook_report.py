"""Reports on shadow mode and alternative thresholds."""

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
        Category | None, Field(alias="class", description="Of this class alone; absent: of all.")
    ] = None


class ShadowTally(_Answer):
    """Counts of all messages, or of the messages of one class."""

    classification: str = Field(description="Empty for all classes together.")
    kept: int = Field(description="Messages that the agent thought about.")
    settled: int = Field(description="Those that people have dealt with.")
    expired: int = Field(description="Of them, those that nobody decided in time.")
    answers: int = Field(description="Settled ones that the agent would have answered.")
    silences: int = Field(description="Settled ones that it would have left without an answer.")
    reviews: int = Field(description="Settled ones that it would have asked people about.")
    agreement: Agreement = Field(
        description="How often the agent would have answered as people did, at 95 %."
    )
    conflicts: int = Field(description="Messages where amounts, dates, links or numbers differ.")
    money_differs: int = Field(description="Messages where money or actions on the order differ.")
    mean_similarity: float | None = Field(description="Of the two texts, 0 to 1.")

    @classmethod
    def of(cls, counts: ClassCounts) -> Self:
        return cls.model_validate(counts, from_attributes=True)


class ShadowAnswer(_Answer):
    playbook_id: str
    version: int | None = Field(
        description="The latest version that was in shadow mode; null if none was."
    )
    ready: bool = Field(description="Nothing speaks against going live.")
    not_ready: tuple[NotReady, ...] = Field(description="Why it should stay in shadow mode.")
    waiting: int = Field(description="Messages that people have not dealt with yet.")
    total: ShadowTally
    classes: tuple[ShadowTally, ...]
    conflicts: dict[FactKind, int] = Field(description="How often facts of each kind differ.")
    examples: tuple[ShadowExample, ...] = Field(
        description="What differs first, then the latest; each text up to 2,000 characters."
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
    """A threshold with its hypothetical results, in words."""

    text_fr: str
    text_en: str

    @classmethod
    def of(cls, point: ThresholdPoint) -> Self:
        return cls(**point.model_dump(), text_fr=in_french(point), text_en=in_english(point))


class AdviceAnswer(_Answer):
    runs: int = Field(description="Runs that it looks back on, 2,000 at most.")
    current: PointInWords
    suggested: PointInWords | None = Field(
        description="The lowest threshold by which people would have seen three of four "
        "corrections; null where too few are known. Nothing applies it."
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
