"""The copilot tool that reads knowledge gaps: questions that the agent could not answer."""

from datetime import datetime
from typing import Final

from pydantic import Field

from domain.analytics.gaps import GapSpan, KnowledgeGap
from domain.copilot.answer import CitedKind, DraftedChange
from domain.copilot.tool import CopilotFacts, CopilotInput, Quoted, ToolFindings, quoted
from domain.tenants.actor import ANYONE, MANAGERS
from services.analytics.gaps import knowledge_gaps
from services.copilot.copilot_service import CopilotService, ReadTool

_EXAMPLE_CHARS: Final = 200


class GapsAsked(CopilotInput):
    span: GapSpan = Field(
        default=GapSpan.MONTH, description=("Length of the period before now, in days.")
    )
    limit: int = Field(default=5, ge=1, le=10)


class GapFacts(CopilotFacts):
    """A knowledge gap. `answered_by`: the title of a newer entry that would now answer the
    question, or None."""

    label: Quoted | None = Field(description="Frequent words in the gap's questions.")
    tickets: int
    example: Quoted | None
    run_id: str
    answered_by: str | None
    last_seen: datetime


class GapsFound(CopilotFacts):
    days: int
    questions: int
    gaps: tuple[GapFacts, ...] = Field(description="Knowledge gaps, most tickets first.")


async def _read(copilot: CopilotService, wanted: GapsAsked) -> ToolFindings[GapsFound]:
    found = await knowledge_gaps(
        copilot.database,
        copilot.tenant,
        copilot.actor,
        copilot.gaps,
        span=wanted.span,
        now=copilot.now,
        limit=wanted.limit,
    )
    facts = tuple(map(_facts, found.gaps))
    overview = copilot.cite(CitedKind.GAP, "gaps", f"{found.questions}") if facts else None
    return ToolFindings(
        GapsFound(days=int(wanted.span), questions=found.questions, gaps=facts),
        (
            *((overview,) if overview else ()),
            *(
                copilot.cite(CitedKind.RUN, one.run_id, one.example.text if one.example else "")
                for one in facts
            ),
        ),
        _drafts(copilot, found.gaps),
    )


def _facts(gap: KnowledgeGap) -> GapFacts:
    example = gap.examples[0]
    return GapFacts(
        label=quoted(gap.label, _EXAMPLE_CHARS),
        tickets=gap.count,
        example=quoted(example.text, _EXAMPLE_CHARS),
        run_id=example.run_id,
        answered_by=gap.knowledge.title if gap.knowledge else None,
        last_seen=gap.last_seen,
    )


def _drafts(copilot: CopilotService, gaps: tuple[KnowledgeGap, ...]) -> tuple[DraftedChange, ...]:
    """Return a draft of a new knowledge entry for the largest gap that no entry answers. A member
    has to write the entry's text because customers' texts are not a reliable source."""
    first = next((one for one in gaps if one.knowledge is None), None)
    if first is None or not copilot.actor.may(MANAGERS):
        return ()
    language = first.languages[0].value or "fr"
    return (
        DraftedChange(
            kind="knowledge.add",
            changes="Adds a knowledge entry for the most frequent unanswered question.",
            method="POST",
            path="/api/dashboard/knowledge",
            body={"title": "", "body": "", "language": language},
        ),
    )


READ_GAPS: Final = ReadTool(
    "read_gaps",
    "Questions that the agent could not answer, grouped by topic, most frequent first.",
    ANYONE,
    ("GET", "/api/dashboard/insight/gaps"),
    GapsAsked,
    _read,
)
