"""Ports for insight and knowledge gaps."""

from collections.abc import Sequence
from typing import Protocol

from domain.agent.brain import Passage
from domain.analytics.gaps import QuestionCluster


class ReadsQuestions(Protocol):
    """Cluster questions and match them with knowledge. The results are deterministic.

    Methods raise OverBudget for too much work, and CallerBusy for too many waiting callers.
    """

    async def clusters(self, questions: Sequence[str]) -> tuple[QuestionCluster, ...]:
        """Group similar questions. Each question is in exactly one cluster. Raises OverBudget."""

    async def answering(
        self, asked: Sequence[tuple[str, Sequence[Passage]]]
    ) -> tuple[Passage | None, ...]:
        """Return, for each question with its search results, the passage from which the agent would
        answer, or None.

        Raises OverBudget.
        """
