"""The copilot's port for a language model that can call tools."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from domain.copilot.question import CopilotQuestion
from domain.copilot.tool import OfferedTool

Say = Callable[[str], Awaitable[None]]
"""A function that receives the next piece of the answer's text."""


@dataclass(frozen=True, slots=True)
class TalkCost:
    """The cost of an answer from a language model. `cost_micros` is the cost in millionths of a US
    dollar."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0


@dataclass(frozen=True, slots=True)
class Talked:
    """A language model's answer, with the name of the model. `is_whole`: False if a limit truncated
    the answer."""

    text: str
    model: str
    cost: TalkCost
    is_whole: bool = True


class Talker(Protocol):
    """A language model that answers questions and can call tools."""

    @property
    def reserve_micros(self) -> int:
        """Return the amount to reserve for one question, in millionths of a US dollar. The amount
        covers a long question with all its tool calls."""

    async def talk(
        self,
        question: CopilotQuestion,
        tools: Sequence[OfferedTool],
        rules: str,
        say: Say,
    ) -> Talked:
        """Answer a question, calling tools if needed. Pass each piece of the text to `say`, and
        return the answer.

        Raises TalkFailed, with the incurred cost, if the model gave no answer.
        """
