"""The copilot's port: a language model that can call tools."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from domain.copilot.question import CopilotQuestion
from domain.copilot.tool import OfferedTool

Say = Callable[[str], Awaitable[None]]
"""Receives the next piece of the answer's text."""


@dataclass(frozen=True, slots=True)
class TalkCost:
    """The cost of an answer. `cost_micros`: millionths of a US dollar."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0


@dataclass(frozen=True, slots=True)
class Talked:
    """A model's answer, and the model's name. `is_whole`: False if a limit truncated the answer."""

    text: str
    model: str
    cost: TalkCost
    is_whole: bool = True


class Talker(Protocol):
    """A language model that answers with the help of tools."""

    @property
    def reserve_micros(self) -> int:
        """The cost of a long question including all its tool calls, in millionths of a US
        dollar."""

    async def talk(
        self,
        question: CopilotQuestion,
        tools: Sequence[OfferedTool],
        rules: str,
        say: Say,
    ) -> Talked:
        """Answer with the help of the allowed tool calls, and pass the text on as it arrives.

        Raises TalkFailed, with the cost, if no answer came. `say` is not called after that.
        """
