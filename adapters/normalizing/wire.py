"""What passes between a worker and its normalizing processes, as JSON."""

from pydantic import BaseModel, ConfigDict

from domain.intake.event import InboundEvent, UnifiedEvent


class Request(BaseModel):
    model_config = ConfigDict(frozen=True)

    event: InboundEvent
    fallback_ticket_id: str
    authserv_ids: tuple[str, ...]


class Answer(BaseModel):
    """`event`: None where the budget of steps was not enough. `failed`: the type of an error that
    nobody expected; its message stays in the process, for it may quote the mail."""

    model_config = ConfigDict(frozen=True)

    event: UnifiedEvent | None = None
    steps: int = 0
    failed: str = ""
