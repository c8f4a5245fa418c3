"""A tool of the copilot: a typed question to the client's records that changes nothing."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue

from domain.copilot.answer import CitedRecord, DraftedChange

Facts = TypeVar("Facts", bound=BaseModel)


class CopilotInput(BaseModel):
    """What a tool takes, and nothing else: a misspelt name is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CopilotFacts(BaseModel):
    """What a tool found. What a customer wrote stands in `Quoted` alone."""

    model_config = ConfigDict(frozen=True)


@dataclass(frozen=True, slots=True)
class ToolFindings(Generic[Facts]):
    """`cited`, `drafts`: made by the tool from typed ids, for the answer."""

    facts: Facts
    cited: tuple[CitedRecord, ...] = ()
    drafts: tuple[DraftedChange, ...] = ()


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as a language model is offered it. `call` answers in JSON, an error as well."""

    name: str
    description: str
    schema: Mapping[str, JsonValue]
    call: Callable[[Mapping[str, JsonValue]], Awaitable[str]]
