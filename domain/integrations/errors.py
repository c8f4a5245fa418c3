"""Errors around a merchant's connected systems."""

from domain.core.errors import DomainError, InvalidContent


class IntegrationNotFound(DomainError):
    code = "integration_not_found"


class InvalidIntegration(InvalidContent):
    """The same of a connection; `reason` is the name of the field, and nothing of its value."""

    code = "invalid_integration"


class InvalidMailSender(InvalidContent):
    """The same of the sender of a client's mails; `reason` is the name of the field."""

    code = "invalid_mail_sender"


class MailSenderNotFound(DomainError):
    """The client has no sender of its own."""

    code = "mail_sender_not_found"


class MailSenderVerified(DomainError):
    """The sender is verified already: no code is needed."""

    code = "mail_sender_verified"


class InvalidSenderCode(DomainError):
    """The code is wrong, used, too old or tried too often."""

    code = "invalid_sender_code"


class TooManySenderCodes(DomainError):
    """The client had as many codes mailed as it gets in a day."""

    code = "too_many_sender_codes"


class ActionRefused(DomainError):
    """Nothing was done, for good. `sent` is False if no request left this service; else the other
    side refused it."""

    code = "action_refused"

    def __init__(self, told: str = "", *, sent: bool = True) -> None:
        super().__init__(told)
        self.sent = sent


class NotAuthorized(ActionRefused):
    """The other side no longer takes our credentials: nothing was done, nothing will be."""

    code = "not_authorized"


class ActionUnreachable(DomainError):
    """The request surely did not take effect: it may be tried again."""

    code = "action_unreachable"
    retryable = True


class ActionForbidden(ActionUnreachable):
    """The other side, or a firewall before it, answered 403: nothing was done. This says nothing
    about our credentials, so that the connection stays."""

    code = "action_forbidden"


class ActionUnknown(DomainError):
    """The connection broke after the request was given over: it may or may not have been done."""

    code = "action_unknown"


class MailRefused(ActionRefused):
    """The mail may not be sent, for good: nothing was sent. `by_server`: a mail server refused it,
    its sender or its recipient; the client's refusals are counted."""

    code = "mail_refused"

    def __init__(self, message: str = "", *, by_server: bool = False) -> None:
        super().__init__(message, sent=by_server)
        self.by_server = by_server


class MailRecipientUnproved(MailRefused):
    """The client has no verified sender, and the recipient has not written in by a way that the
    service received itself: nothing was sent."""

    code = "mail_recipient_unproved"


class MailNameProtected(MailRefused):
    """The client's name looks like a carrier's, a bank's or the service's own: nothing was sent
    under the service's sender."""

    code = "mail_name_protected"


class MailLimitReached(MailRefused):
    """The client's daily allowance of mails is used up, or the address had its share of this kind
    of mail: nothing was sent."""

    code = "mail_limit_reached"


class MailLoginRefused(MailRefused):
    """The client's mail server no longer takes its user name and password."""

    code = "mail_login_refused"


class MailServerForbidden(MailRefused):
    """The client's mail server lies where nothing may be sent."""

    code = "mail_server_forbidden"


class MailUnreachable(ActionUnreachable):
    """No mail server took the message: nothing was sent, it may be tried again."""

    code = "mail_unreachable"


class MailServerUntrusted(MailUnreachable):
    """The client's mail server offers no TLS, or a certificate that is not accepted."""

    code = "mail_server_untrusted"


class MailUnknown(ActionUnknown):
    """The connection broke after the text was given over: it may or may not have been sent."""

    code = "mail_unknown"


class UnknownProvider(DomainError):
    """A connection is stored whose provider this version does not know: another version made it.

    It stays as it is, and what needs the client's connections waits for a version that knows it, or
    until the connection is ended.
    """

    code = "unknown_provider"
    retryable = True

    def __init__(self, integration_id: str, provider: str) -> None:
        super().__init__(f"integration {integration_id}: this version knows no provider {provider}")
