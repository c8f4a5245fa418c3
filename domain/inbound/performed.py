"""The result of executing a platform's compliance request."""

from dataclasses import dataclass
from enum import StrEnum

from domain.inbound.inbound_webhook import Outcome
from domain.privacy.contracts import EraseInput


class ComplianceReason(StrEnum):
    """The reason why a human must complete a compliance request.

    - `no_address`: the platform named no customer, so only facts about orders were erased.
    - `data_requested`: a human must deliver the customer's data.
    - `conversations_left`: the shop's data is erased, but exports, sent data and conversations
      remain.
    - `shop_unproved`: the credentials have never worked, so nothing was erased and an operator must
      decide.
    - `secret_untrusted`: the signing secret awaited a second manager's approval, so nothing was
      erased and an operator must decide.
    """

    NO_ADDRESS = "no_address"
    DATA_REQUESTED = "data_requested"
    CONVERSATIONS_LEFT = "conversations_left"
    SHOP_UNPROVED = "shop_unproved"
    SECRET_UNTRUSTED = "secret_untrusted"  # noqa: S105 - a reason


@dataclass(frozen=True, slots=True)
class Performed:
    """The result of executing a compliance request. `reason` is the reason why a human must
    complete it, or None.

    `reference` is a data request or an erasure certificate. `erase` is an erasure to start before
    the webhook counts as processed. It is deterministic, so a retry does not start a second one.
    """

    outcome: Outcome
    reason: ComplianceReason | None = None
    reference: str | None = None
    erase: EraseInput | None = None
