"""The result of executing a platform's compliance request."""

from dataclasses import dataclass
from enum import StrEnum

from domain.inbound.inbound_webhook import Outcome
from domain.privacy.contracts import EraseInput


class ComplianceReason(StrEnum):
    """The reason why a human must complete a compliance request.

    `no_address`: the platform did not identify a customer, so only the facts about the customer's
    orders were erased. `data_requested`: a human must deliver the customer's data.
    `conversations_left`: the shop's data is erased, but exports, data sent to other systems and
    conversations with the shop's customers remain. `shop_unproved`: the connection's credentials
    have never authenticated with the shop, so nothing was erased and an operator must decide.
    `secret_untrusted`: the secret that signed the request was waiting for a second manager's
    approval, so nothing was erased and an operator must decide.
    """

    NO_ADDRESS = "no_address"
    DATA_REQUESTED = "data_requested"
    CONVERSATIONS_LEFT = "conversations_left"
    SHOP_UNPROVED = "shop_unproved"
    SECRET_UNTRUSTED = "secret_untrusted"  # noqa: S105 - a reason


@dataclass(frozen=True, slots=True)
class Performed:
    """The result of executing a compliance request. `reason`: the reason why a human must complete
    the request, or None.

    `reference`: the id of the data request or of the erasure's certificate. `erase`: an erasure to
    start before the webhook counts as processed. The erasure's workflow has the id
    `names.erase_id(client_id, erase.subject)`. If that workflow is already running, a second
    workflow is not started. The same request always yields the same erasure, so a retry after a
    crash can start it.
    """

    outcome: Outcome
    reason: ComplianceReason | None = None
    reference: str | None = None
    erase: EraseInput | None = None
