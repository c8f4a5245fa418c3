"""Run a brain on every message, and record its answers."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.agent.brain import BrainAnswer
from domain.core.errors import DomainError
from evaluation.contestant import Contestant
from evaluation.message import LabelledMessage, Tone

NEGATIVE_TO: Final = -0.2
POSITIVE_FROM: Final = 0.2


@dataclass(frozen=True, slots=True)
class Answered:
    """A brain's answer, with the probability of its category (from 0 to 1)."""

    answer: BrainAnswer
    probability: float

    @property
    def tone(self) -> Tone:
        if self.answer.sentiment <= NEGATIVE_TO:
            return Tone.NEGATIVE
        return Tone.POSITIVE if self.answer.sentiment >= POSITIVE_FROM else Tone.NEUTRAL


@dataclass(frozen=True, slots=True)
class ScoredMessage:
    """One message with its outcome: an answer, or an error code.

    A message without an answer counts as wrong in category, language and tone, so that a failure
    cannot improve a score.
    """

    message: LabelledMessage
    seconds: float
    answered: Answered | None
    error_code: str | None = None

    @property
    def category_right(self) -> bool:
        answered = self.answered
        return answered is not None and answered.answer.classification is self.message.category

    @property
    def language_right(self) -> bool:
        answered = self.answered
        return answered is not None and answered.answer.language == self.message.language

    @property
    def tone_right(self) -> bool:
        return self.answered is not None and self.answered.tone is self.message.tone


async def judge_all(
    contestant: Contestant, messages: Sequence[LabelledMessage]
) -> list[ScoredMessage]:
    """Return the outcomes in the order of the messages. A brain's DomainError is an outcome. Other
    errors propagate."""
    turns = asyncio.Semaphore(contestant.calls_at_once)

    async def judge(message: LabelledMessage) -> ScoredMessage:
        async with turns:
            return await _judge(contestant, message)

    for message in messages[:1]:
        # The first call also loads modules and models. Its time is therefore discarded, and the
        # message is run again below.
        await judge(message)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(judge(message)) for message in messages]
    return [task.result() for task in tasks]


async def _judge(contestant: Contestant, message: LabelledMessage) -> ScoredMessage:
    request = message.request
    started = time.perf_counter()
    try:
        answer = await contestant.brain.think(request)
    except DomainError as error:
        seconds = time.perf_counter() - started
        return ScoredMessage(message, seconds, answered=None, error_code=error.code)
    seconds = time.perf_counter() - started
    probability = contestant.probability(request, answer)
    return ScoredMessage(message, seconds, Answered(answer, probability))
