"""The port of insight: a reader of questions."""

from collections.abc import Sequence
from typing import Protocol

from domain.agent.brain import Passage
from domain.analytics.gaps import QuestionCluster


class ReadsQuestions(Protocol):
    """Deterministic and bounded: it raises OverBudget if the work is too much, and CallerBusy if
    too many callers wait."""

    async def clusters(self, questions: Sequence[str]) -> tuple[QuestionCluster, ...]:
        """Put each question into one cluster. Raises OverBudget."""

    async def answering(
        self, asked: Sequence[tuple[str, Sequence[Passage]]]
    ) -> tuple[Passage | None, ...]:
        """Return, for each question and its search results, the passage that the agent would answer
        from, or None. Raises OverBudget."""
