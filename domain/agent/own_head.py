"""A client's own head: what a client's decided tickets teach the embedded classifier."""

from pydantic import BaseModel, ConfigDict


class OwnHead(BaseModel):
    """`version`: its row's id. `model`: the fingerprint of the classifier that it was fitted to; no
    other may use it. `weights`: as `adapters/brain/own_head.py` writes them."""

    model_config = ConfigDict(frozen=True)

    version: str
    model: str
    weights: bytes
