"""The base of each payload that crosses Temporal: ids and small facts, never a customer's words."""

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    """Frozen, because a payload that was sent cannot be changed."""

    model_config = ConfigDict(frozen=True)


class RunRef(Contract):
    """Which run a step works on. `request_id`: of the request that brought the event, for logs
    only; empty if another process started the run."""

    client_id: str
    event_id: str
    run_id: str
    request_id: str = ""


class BackgroundRef(Contract):
    """A long piece of work for one client, by its row. `remote_brain`: whether thinking leaves the
    process, which decides how long a step may take."""

    client_id: str
    record_id: str
    remote_brain: bool = False
