"""The JSON messages between a worker and its normalizing processes."""

from pydantic import BaseModel, ConfigDict

from domain.intake.event import InboundEvent, UnifiedEvent


class Request(BaseModel):
    model_config = ConfigDict(frozen=True)

    event: InboundEvent
    fallback_ticket_id: str
    authserv_ids: tuple[str, ...]


class Answer(BaseModel):
    """The response from a normalizing process. `event`: None if the step budget was exceeded.
    `failed`: the type of an unexpected error. The error message stays in the process, because it
    may quote the email."""

    model_config = ConfigDict(frozen=True)

    event: UnifiedEvent | None = None
    steps: int = 0
    failed: str = ""
