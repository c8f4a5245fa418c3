"""A client's own classifier head: an additional head for the embedded classifier, trained on the
client's decided tickets."""

from pydantic import BaseModel, ConfigDict


class OwnHead(BaseModel):
    """One version of a client's own classifier head. `version` is its database id. `model` is the
    fingerprint of the only classifier that may use the head."""

    model_config = ConfigDict(frozen=True)

    version: str
    model: str
    weights: bytes
