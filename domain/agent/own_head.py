"""A client's own head of the embedded classifier: an additional classifier head, trained on the
client's decided tickets."""

from pydantic import BaseModel, ConfigDict


class OwnHead(BaseModel):
    """One version of a client's own classifier head. `version`: the id of its database row.
    `model`: the fingerprint of the classifier that the head was trained for; no other classifier
    may use it. `weights`: in the format of `adapters/brain/own_head.py`."""

    model_config = ConfigDict(frozen=True)

    version: str
    model: str
    weights: bytes
