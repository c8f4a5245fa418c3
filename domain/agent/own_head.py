"""A client's own head of the embedded classifier, fitted to its decided tickets."""

from pydantic import BaseModel, ConfigDict


class OwnHead(BaseModel):
    """One version of a client's own head. `version`: the id of its row. `model`: the fingerprint of
    the classifier that it was fitted to; no other classifier may use it. `weights`: in the format
    of `adapters/brain/own_head.py`."""

    model_config = ConfigDict(frozen=True)

    version: str
    model: str
    weights: bytes
