"""The base of all Temporal payloads: ids and small facts, never a customer's words."""

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    """A Temporal payload. Frozen, because a sent payload cannot be changed."""

    model_config = ConfigDict(frozen=True)


class RunRef(Contract):
    """The run that a step works on. `request_id`: of the request that brought the event, for logs
    only; empty if another process started the run."""

    client_id: str
    event_id: str
    run_id: str
    request_id: str = ""


class BackgroundRef(Contract):
    """A long job for one client, identified by its row. `remote_brain`: whether the brain runs
    outside the process, which sets the timeout of a step."""

    client_id: str
    record_id: str
    remote_brain: bool = False
