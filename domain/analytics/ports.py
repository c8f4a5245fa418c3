"""What insight needs from outside: somebody who reads questions."""

from collections.abc import Sequence
from typing import Protocol

from domain.agent.brain import Passage
from domain.analytics.gaps import QuestionCluster


class ReadsQuestions(Protocol):
    """Deterministic, and bounded: its work ends with OverBudget."""

    async def clusters(self, questions: Sequence[str]) -> tuple[QuestionCluster, ...]:
        """Each question in one cluster. Raises OverBudget."""

    async def answering(self, question: str, passages: Sequence[Passage]) -> Passage | None:
        """The passage that the agent would answer the question from; None if it would not."""
