"""The kinds of mail that the service sends in its own name, and how many of each.

Their text is fixed: no brand, no free text and no link of a client. Add a kind here, with its
limit, before a new one is sent (`activities/integrations/service_mails.py`).
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class ServiceMail(StrEnum):
    SIGN_IN_CODE = "sign_in_code"
    NO_ACCOUNT = "no_account"
    INVITATION = "invitation"
    SENDER_CODE = "sender_code"
    VISITOR_CODE = "visitor_code"
    TICKET_CODE = "ticket_code"
    WEBHOOK_NOTICE = "webhook_notice"
    DATA_REQUEST = "data_request"
    OWNER_NOTICE = "owner_notice"


@dataclass(frozen=True, slots=True)
class ServiceMailLimit:
    """`per_address`: mails of the kind to one address in a UTC day, from all clients together.
    `uses_allowance`: the mail counts for its client's daily allowance, because the client chooses
    the recipient. `more_an_hour`: mails that still leave in each hour once the day's are used, so
    that strangers cannot use up a mailbox's day."""

    per_address: int
    uses_allowance: bool
    more_an_hour: int = 0


LIMITS: Final = {
    # Signing in has stricter limits of its own, by requester and by address.
    ServiceMail.SIGN_IN_CODE: ServiceMailLimit(60, uses_allowance=False),
    ServiceMail.NO_ACCOUNT: ServiceMailLimit(60, uses_allowance=False),
    ServiceMail.INVITATION: ServiceMailLimit(5, uses_allowance=True),
    ServiceMail.SENDER_CODE: ServiceMailLimit(10, uses_allowance=True),
    # A stranger chooses the recipient: refusals must not end the client's mail, whichever sender
    # the code has. Both kinds have limits of their own, by address, requester and client
    # (domain/identity/mailed_code.py).
    ServiceMail.VISITOR_CODE: ServiceMailLimit(20, uses_allowance=False, more_an_hour=2),
    ServiceMail.TICKET_CODE: ServiceMailLimit(20, uses_allowance=False, more_an_hour=2),
    # These go to the owners of the client alone.
    ServiceMail.WEBHOOK_NOTICE: ServiceMailLimit(200, uses_allowance=False),
    ServiceMail.DATA_REQUEST: ServiceMailLimit(200, uses_allowance=False),
    ServiceMail.OWNER_NOTICE: ServiceMailLimit(200, uses_allowance=False),
}
