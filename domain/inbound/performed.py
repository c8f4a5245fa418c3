"""What came of a duty that a platform asked for."""

from dataclasses import dataclass
from enum import StrEnum

from domain.inbound.inbound_webhook import Outcome
from domain.privacy.contracts import EraseInput


class DutyReason(StrEnum):
    """What is left to people.

    `no_address`: the platform named no customer, so that only its facts of the orders were
    erased. `data_requested`: somebody hands the customer's data over. `conversations_left`: what
    came from the shop is erased; conversations with its customers, exports and what was sent to
    other systems are not. `shop_unproved`: the connection's credentials never opened the shop, so
    that an operator decides on the erasure; nothing was erased.
    """

    NO_ADDRESS = "no_address"
    DATA_REQUESTED = "data_requested"
    CONVERSATIONS_LEFT = "conversations_left"
    SHOP_UNPROVED = "shop_unproved"


@dataclass(frozen=True, slots=True)
class Performed:
    """`reason`: what is left to people, where the outcome says that something is.
    `reference`: the id of the data request, or of the erasure's certificate.

    `erase`: an erasure that is started before the webhook counts as done, as a workflow of the id
    `names.erase_id(client_id, erase.subject)`; one that is under way is joined. Performing the same
    duty again gives the same erasure, so that a crash before its start loses nothing.
    """

    outcome: Outcome
    reason: DutyReason | None = None
    reference: str | None = None
    erase: EraseInput | None = None
