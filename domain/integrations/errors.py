"""Errors of connections to a merchant's systems, and of mails."""

from domain.core.errors import DomainError, InvalidContent


class IntegrationNotFound(DomainError):
    code = "integration_not_found"


class InvalidIntegration(InvalidContent):
    """A connection's settings or credentials are invalid. `reason`: the name of the field, never
    its value."""

    code = "invalid_integration"


class InvalidMailSender(InvalidContent):
    """The sender of a client's mails is invalid. `reason`: the name of the field."""

    code = "invalid_mail_sender"


class MailSenderNotFound(DomainError):
    """The client has configured no sender."""

    code = "mail_sender_not_found"


class MailSenderVerified(DomainError):
    """The sender is already verified, so it needs no code."""

    code = "mail_sender_verified"


class InvalidSenderCode(DomainError):
    """The code is wrong, used or expired, or has been tried too often."""

    code = "invalid_sender_code"


class TooManySenderCodes(DomainError):
    """The client has reached its daily limit on codes."""

    code = "too_many_sender_codes"


class ActionRefused(DomainError):
    """The action had no effect, and a retry cannot succeed. `sent`: False if no request left this
    service; True if the external system refused it."""

    code = "action_refused"

    def __init__(self, told: str = "", *, sent: bool = True) -> None:
        super().__init__(told)
        self.sent = sent


class NotAuthorized(ActionRefused):
    """The external system rejects our credentials. The action had no effect, and a retry cannot
    succeed."""

    code = "not_authorized"


class ActionUnreachable(DomainError):
    """The request certainly had no effect, so the action may be retried."""

    code = "action_unreachable"
    retryable = True


class ActionForbidden(ActionUnreachable):
    """The external system, or a firewall in front of it, answered 403: the action had no effect. A
    403 does not prove invalid credentials, so the connection remains."""

    code = "action_forbidden"


class ActionUnknown(DomainError):
    """The connection broke after the request was sent: the action may or may not have taken
    effect."""

    code = "action_unknown"


class MailRefused(ActionRefused):
    """The mail was not sent, and a retry cannot succeed. `by_server`: a mail server refused the
    mail, its sender or its recipient; such refusals count against the client."""

    code = "mail_refused"

    def __init__(self, message: str = "", *, by_server: bool = False) -> None:
        super().__init__(message, sent=by_server)
        self.by_server = by_server


class MailRecipientUnproved(MailRefused):
    """The client has no verified sender, and the service itself has never received a message from
    the recipient. The mail was not sent."""

    code = "mail_recipient_unproved"


class MailNameProtected(MailRefused):
    """The client's name resembles that of a carrier, a bank or the service. The mail was not sent
    from the service's address."""

    code = "mail_name_protected"


class MailLimitReached(MailRefused):
    """The daily mail allowance of the client, or of the address for this kind of mail, is used up.
    The mail was not sent."""

    code = "mail_limit_reached"


class MailLoginRefused(MailRefused):
    """The client's mail server rejects the user name and password."""

    code = "mail_login_refused"


class MailServerForbidden(MailRefused):
    """The service is not allowed to connect to the address of the client's mail server."""

    code = "mail_server_forbidden"


class MailUnreachable(ActionUnreachable):
    """No mail server accepted the message. The mail was not sent and may be retried."""

    code = "mail_unreachable"


class MailServerUntrusted(MailUnreachable):
    """The client's mail server offers no TLS, or its certificate is not trusted."""

    code = "mail_server_untrusted"


class MailUnknown(ActionUnknown):
    """The connection broke after the text was transmitted: the mail may or may not have been
    sent."""

    code = "mail_unknown"


class UnknownProvider(DomainError):
    """A stored connection has a provider that this version does not know, because another version
    created it.

    The connection is left unchanged. Work that needs the client's connections waits for a version
    that knows the provider, or until the connection ends.
    """

    code = "unknown_provider"
    retryable = True

    def __init__(self, integration_id: str, provider: str) -> None:
        super().__init__(f"integration {integration_id}: this version knows no provider {provider}")
