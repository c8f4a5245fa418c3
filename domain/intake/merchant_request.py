"""The merchant's request: an action on an order that the merchant's own system states as data.

Only the gateway reads it, from the body of a caller with an `ak_` key or the engine secret.
`domain/agent/proof.py` decides whether the playbook lets it be carried out.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

_ORDER_NUMBER = r"^#?[A-Za-z0-9][A-Za-z0-9 ._/-]{0,62}$"


class MerchantRequest(BaseModel):
    """What the merchant's system asks to be done to one order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["refund", "cancel_order"]
    order_number: Annotated[str, StringConstraints(strict=True, pattern=_ORDER_NUMBER)]
