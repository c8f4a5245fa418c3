"""What insight needs from outside: somebody who reads questions."""

from collections.abc import Sequence
from typing import Protocol

from domain.agent.brain import Passage
from domain.analytics.gaps import QuestionCluster


class ReadsQuestions(Protocol):
    """Deterministic, and bounded: its work ends with OverBudget, and where too many wait it raises
    CallerBusy."""

    async def clusters(self, questions: Sequence[str]) -> tuple[QuestionCluster, ...]:
        """Each question in one cluster. Raises OverBudget."""

    async def answering(
        self, asked: Sequence[tuple[str, Sequence[Passage]]]
    ) -> tuple[Passage | None, ...]:
        """Of each question with what a search found for it: the passage that the agent would
        answer from; None if it would not. Raises OverBudget."""
