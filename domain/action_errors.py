"""What can go wrong with an action on somebody else's system.

Three kinds, for three things to do: refused (give up), unreachable (surely not done: try again),
unknown (it may have been done: only a verifying read or a human may go on).
"""

from domain.errors import DomainError


class ActionRefused(DomainError):
    """The other side said no, for good: nothing was done."""

    code = "action_refused"


class NotAuthorized(ActionRefused):
    """The other side no longer takes our credentials: nothing was done, nothing will be."""

    code = "not_authorized"


class ActionUnreachable(DomainError):
    """The request surely did not take effect: it may be tried again."""

    code = "action_unreachable"
    retryable = True


class ActionUnknown(DomainError):
    """The connection broke after the request was given over: it may or may not have been done."""

    code = "action_unknown"


class MailRefused(ActionRefused):
    """The mail server said no, for good: nothing was sent."""

    code = "mail_refused"


class MailUnreachable(ActionUnreachable):
    """No mail server took the message: nothing was sent, it may be tried again."""

    code = "mail_unreachable"


class MailUnknown(ActionUnknown):
    """The connection broke after the text was given over: it may or may not have been sent."""

    code = "mail_unknown"
