"""The kinds of mail that the service sends in its own name, with their limits.

Their text is fixed, without a client's brand, free text or links. Add a new kind here before
sending it (`activities/integrations/service_mails.py`).
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
    MEMBER_NOTICE = "member_notice"


@dataclass(frozen=True, slots=True)
class ServiceMailLimit:
    """The limit for one kind of mail.

    - `per_address`: emails to one address in a UTC day, from all clients together.
    - `uses_allowance`: counts toward the client's mail allowance because the client chooses the
      recipient.
    - `more_an_hour`: emails still allowed per hour beyond `per_address`, so that strangers cannot
      block a mailbox for the day.
    """

    per_address: int
    uses_allowance: bool
    more_an_hour: int = 0


LIMITS: Final = {
    # Sign-in codes have other, stricter limits per requester and per address.
    ServiceMail.SIGN_IN_CODE: ServiceMailLimit(60, uses_allowance=False),
    ServiceMail.NO_ACCOUNT: ServiceMailLimit(60, uses_allowance=False),
    ServiceMail.INVITATION: ServiceMailLimit(5, uses_allowance=True),
    ServiceMail.SENDER_CODE: ServiceMailLimit(10, uses_allowance=True),
    # A stranger chooses the recipient, so rejections of these emails must not stop the client's
    # other mail. Visitor codes and ticket codes also have limits per address, requester and client
    # (domain/identity/mailed_code.py).
    ServiceMail.VISITOR_CODE: ServiceMailLimit(20, uses_allowance=False, more_an_hour=2),
    ServiceMail.TICKET_CODE: ServiceMailLimit(20, uses_allowance=False, more_an_hour=2),
    # These emails go only to the client's owners.
    ServiceMail.WEBHOOK_NOTICE: ServiceMailLimit(200, uses_allowance=False),
    ServiceMail.DATA_REQUEST: ServiceMailLimit(200, uses_allowance=False),
    ServiceMail.OWNER_NOTICE: ServiceMailLimit(200, uses_allowance=False),
    # These emails go only to members who chose them, at a verified address. Their hourly limit is
    # in `domain/reviews/notification.py`.
    ServiceMail.MEMBER_NOTICE: ServiceMailLimit(200, uses_allowance=False),
}
