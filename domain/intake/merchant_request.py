"""The merchant's request: an action on an order that the merchant's own system states as data."""

from enum import StrEnum
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MAX_ORDER_CHARS: Final = 64


class RequestedAction(StrEnum):
    """The actions on an order, by the names that playbooks use."""

    REFUND = "refund"
    CANCEL_ORDER = "cancel_order"


class MerchantRequest(BaseModel):
    """What the merchant's system asks to be done to one order.

    Only the gateway reads it, from the body of a caller with an `ak_` key or the engine secret.
    `domain/agent/merchant_warrant.py` decides whether the playbook lets it be carried out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: RequestedAction
    order_number: Annotated[
        str, StringConstraints(strict=True, min_length=1, max_length=MAX_ORDER_CHARS)
    ] = Field(pattern=r"^#? ?[^\s#\u0000-\u001f\u007f](?:[^\u0000-\u001f\u007f]*[^\s])?$")
