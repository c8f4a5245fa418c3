"""The base class for Temporal payloads. A payload contains ids and small facts, never customer
text."""

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    """A Temporal payload. Instances are immutable because a payload cannot be changed after it is
    sent."""

    model_config = ConfigDict(frozen=True)


class RunRef(Contract):
    """The identity of the run that an activity works on. `request_id` is the id of the HTTP request
    that submitted the event, used only for logs, or empty if no request started the run."""

    client_id: str
    event_id: str
    run_id: str
    request_id: str = ""


class BackgroundRef(Contract):
    """The identity of a client's long-running job, by its database row. `remote_brain` means that
    the brain runs in another process, which determines a step's timeout."""

    client_id: str
    record_id: str
    remote_brain: bool = False
