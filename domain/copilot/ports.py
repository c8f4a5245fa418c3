"""What the copilot needs from outside: a language model that can call tools."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from domain.copilot.question import CopilotQuestion
from domain.copilot.tool import OfferedTool

Say = Callable[[str], Awaitable[None]]
"""Takes the next piece of the answer's text."""


@dataclass(frozen=True, slots=True)
class TalkCost:
    """`cost_micros`: millionths of a US dollar."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0


@dataclass(frozen=True, slots=True)
class Talked:
    """What a model said, and which one. `is_whole`: False where it was cut by a limit."""

    text: str
    model: str
    cost: TalkCost
    is_whole: bool = True


class Talker(Protocol):
    """A language model in conversation."""

    @property
    def reserve_micros(self) -> int:
        """What a long question costs, with all its rounds of tools."""

    async def talk(
        self,
        question: CopilotQuestion,
        tools: Sequence[OfferedTool],
        rules: str,
        say: Say,
    ) -> Talked:
        """Answer, with as many calls of tools as it may take, and pass the text on as it comes.

        Raises TalkFailed with what it cost, where no answer came. Nothing is said after that.
        """
