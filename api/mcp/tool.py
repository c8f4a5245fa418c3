"""The description of an MCP tool: its name, arguments, result, required scopes, effect and
implementation."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from mcp_types import Tool, ToolAnnotations
from pydantic import BaseModel, ConfigDict, JsonValue

from api.gateway_answers import CallStart, EventCaller
from api.resources import Resources
from domain.core.ids import TenantId
from domain.tenants.actor import Actor
from domain.tenants.scopes import Scope
from store.tenants.keys import ActiveKey

Given = TypeVar("Given", bound="ToolInput")
Result = TypeVar("Result", bound=BaseModel)


class ToolInput(BaseModel):
    """The arguments of a tool. Unknown arguments are rejected, so that misspelled names are
    noticed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, slots=True)
class AtWork:
    """The context of a tool call: the API key, the key's client, and the request."""

    key: ActiveKey
    tenant: TenantId
    actor: Actor
    start: CallStart
    request_id: str
    resources: Resources

    @property
    def event_caller(self) -> EventCaller:
        """Return the sender of events that this call creates. A model's claim that a customer is
        verified is never accepted, regardless of the key."""
        return EventCaller(self.tenant, self.actor, self.start, self.request_id, vouches=False)


@dataclass(frozen=True, slots=True)
class CallEffect:
    """The side effects of a tool call; none by default. `writes`: the call stores data.
    `repeatable`: the call is idempotent. `outside`: the call may reach the customer or other
    systems."""

    writes: bool = False
    repeatable: bool = True
    outside: bool = False


READS: Final = CallEffect()
DRAFTS: Final = CallEffect(repeatable=False)
"""The effect of a tool that does not store or send anything. The resulting text may differ from
call to call."""


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool of the MCP server. `call` takes unvalidated arguments, and raises DomainErrors and
    Pydantic's ValidationError."""

    name: str
    title: str
    description: str
    scopes: tuple[Scope, ...]
    effect: CallEffect
    takes: type[ToolInput]
    gives: type[BaseModel]
    call: Callable[[AtWork, Mapping[str, JsonValue]], Awaitable[BaseModel]]

    @property
    def listed(self) -> Tool:
        """Return the tool's description in the format of the MCP protocol."""
        effect = self.effect
        return Tool(
            name=self.name,
            title=self.title,
            description=f"{self.description} Requires {' and '.join(self.scopes)}.",
            input_schema=self.takes.model_json_schema(),
            output_schema=self.gives.model_json_schema(mode="serialization"),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=not effect.writes,
                destructive_hint=False,
                idempotent_hint=effect.repeatable,
                open_world_hint=effect.outside,
            ),
        )


def tool(
    name: str,
    title: str,
    description: str,
    *,
    scopes: tuple[Scope, ...],
    takes: type[Given],
    gives: type[Result],
    does: Callable[[AtWork, Given], Awaitable[Result]],
    effect: CallEffect = READS,
) -> McpTool:
    """Return a tool that validates its arguments against `takes` before it runs."""

    async def call(at_work: AtWork, arguments: Mapping[str, JsonValue]) -> Result:
        return await does(at_work, takes.model_validate(arguments))

    return McpTool(name, title, description, scopes, effect, takes, gives, call)
