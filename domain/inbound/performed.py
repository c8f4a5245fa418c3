"""The result of performing a platform's compliance request."""

from dataclasses import dataclass
from enum import StrEnum

from domain.inbound.inbound_webhook import Outcome
from domain.privacy.contracts import EraseInput


class ComplianceReason(StrEnum):
    """The part of a compliance request that people must complete.

    `no_address`: the platform named no customer, so only the facts of its orders were erased.
    `data_requested`: a person must hand over the customer's data. `conversations_left`: the shop's
    data is erased; conversations with its customers, exports and data sent to other systems remain.
    `shop_unproved`: the connection's credentials never opened the shop, so an operator must decide
    on the erasure; nothing was erased.
    """

    NO_ADDRESS = "no_address"
    DATA_REQUESTED = "data_requested"
    CONVERSATIONS_LEFT = "conversations_left"
    SHOP_UNPROVED = "shop_unproved"


@dataclass(frozen=True, slots=True)
class Performed:
    """`reason`: the part left to people, if the outcome says that there is one.

    `reference`: the id of the data request or of the erasure's certificate. `erase`: an erasure to
    start before the webhook counts as done, as a workflow with the id `names.erase_id(client_id,
    erase.subject)`; if that workflow is running, it is joined. The same request always yields the
    same erasure, so a crash before its start loses nothing.
    """

    outcome: Outcome
    reason: ComplianceReason | None = None
    reference: str | None = None
    erase: EraseInput | None = None
