"""Ports of insight."""

from collections.abc import Sequence
from typing import Protocol

from domain.agent.brain import Passage
from domain.analytics.gaps import QuestionCluster


class ReadsQuestions(Protocol):
    """Clusters questions and matches them with knowledge. The result is deterministic and the work
    bounded: methods raise OverBudget if there is too much work, and CallerBusy if too many callers
    wait."""

    async def clusters(self, questions: Sequence[str]) -> tuple[QuestionCluster, ...]:
        """Assign each question to one cluster. Raises OverBudget."""

    async def answering(
        self, asked: Sequence[tuple[str, Sequence[Passage]]]
    ) -> tuple[Passage | None, ...]:
        """For each question and its search results, return the passage from which the agent would
        answer, or None.

        Raises OverBudget.
        """
