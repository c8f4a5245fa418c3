"""An action on an order that the merchant's own system requests in a data field.

Only the gateway reads this field, from callers with an `ak_` key or the engine secret.
`domain/agent/proof.py` decides whether the playbook allows the action.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

_ORDER_NUMBER = r"^#?[A-Za-z0-9][A-Za-z0-9 ._/-]{0,62}$"


class MerchantRequest(BaseModel):
    """An action on one order that the merchant's system requests."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["refund", "cancel_order"]
    order_number: Annotated[str, StringConstraints(strict=True, pattern=_ORDER_NUMBER)]
