"""What came of a duty that a platform asked for."""

from dataclasses import dataclass

from domain.inbound.webhook import Outcome
from domain.privacy.contracts import EraseInput


@dataclass(frozen=True, slots=True)
class Performed:
    """`reason`: a stable code of what is left to people, or of why there was nothing to do.
    `reference`: the id of the data request, or of the erasure's certificate.

    `erase`: an erasure that is started before the webhook counts as done, as a workflow of the id
    `names.erase_id(client_id, erase.subject)`; one that is under way is joined. Performing the same
    duty again gives the same erasure, so that a crash before its start loses nothing.
    """

    outcome: Outcome
    reason: str | None = None
    reference: str | None = None
    erase: EraseInput | None = None
