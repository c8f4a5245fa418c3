"""The JSON messages between a worker and its normalizing processes."""

from pydantic import BaseModel, ConfigDict

from domain.intake.event import InboundEvent, UnifiedEvent


class Request(BaseModel):
    model_config = ConfigDict(frozen=True)

    event: InboundEvent
    fallback_ticket_id: str
    authserv_ids: tuple[str, ...]


class Answer(BaseModel):
    """The response from a normalizing process. `event` is None beyond the step budget. `failed` is
    the type of an unexpected error, whose message may quote the email and is dropped."""

    model_config = ConfigDict(frozen=True)

    event: UnifiedEvent | None = None
    steps: int = 0
    failed: str = ""
