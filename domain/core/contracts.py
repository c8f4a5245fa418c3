"""The base of all Temporal payloads, which contain ids and small facts, never a customer's text."""

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    """A Temporal payload. Frozen, because a payload cannot be changed after it is sent."""

    model_config = ConfigDict(frozen=True)


class RunRef(Contract):
    """The run that a step works on. `request_id`: the request that submitted the event, for logs
    only; empty if another process started the run."""

    client_id: str
    event_id: str
    run_id: str
    request_id: str = ""


class BackgroundRef(Contract):
    """A long-running job for one client, identified by its row. `remote_brain`: whether the brain
    runs outside the process, which determines the timeout of a step."""

    client_id: str
    record_id: str
    remote_brain: bool = False
