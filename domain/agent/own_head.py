"""A client's own classifier head: an additional head for the embedded classifier, trained on the
client's decided tickets."""

from pydantic import BaseModel, ConfigDict


class OwnHead(BaseModel):
    """One version of a client's own classifier head. `version`: the id of its database row.
    `model`: the fingerprint of the classifier for which the head was trained. Other classifiers
    must not use the head. `weights`: in the format of `adapters/brain/own_head.py`."""

    model_config = ConfigDict(frozen=True)

    version: str
    model: str
    weights: bytes
