"""Errors in connections to a merchant's systems, and in sending emails."""

from domain.core.errors import DomainError, InvalidContent


class IntegrationNotFound(DomainError):
    code = "integration_not_found"


class InvalidIntegration(InvalidContent):
    """A connection's settings or credentials are invalid. `reason` is the name of the invalid
    field, never its value."""

    code = "invalid_integration"


class InvalidMailSender(InvalidContent):
    """A client's mail sender is invalid. `reason` is the name of the invalid field."""

    code = "invalid_mail_sender"


class MailSenderNotFound(DomainError):
    """The client has not configured a mail sender."""

    code = "mail_sender_not_found"


class MailSenderVerified(DomainError):
    """The mail sender is already verified, so no verification code is needed."""

    code = "mail_sender_verified"


class InvalidSenderCode(DomainError):
    """The code that verifies a mail sender is wrong, used or expired, or there were too many
    attempts."""

    code = "invalid_sender_code"


class TooManySenderCodes(DomainError):
    """The client has reached its daily limit for codes that verify a mail sender."""

    code = "too_many_sender_codes"


class ActionRefused(DomainError):
    """An action on an external system had no effect, and a retry cannot succeed. `sent` means that
    the external system rejected it."""

    code = "action_refused"

    def __init__(self, detail: str = "", *, sent: bool = True) -> None:
        super().__init__(detail)
        self.sent = sent


class NotAuthorized(ActionRefused):
    """The external system rejects the connection's credentials. The action had no effect, and a
    retry cannot succeed."""

    code = "not_authorized"


class ActionUnreachable(DomainError):
    """The external system cannot be reached. The action had no effect, so it may be retried."""

    code = "action_unreachable"
    retryable = True


class ActionForbidden(ActionUnreachable):
    """The external system or its firewall responded with 403, and the action had no effect. The
    connection stays active because a 403 does not prove invalid credentials."""

    code = "action_forbidden"


class ActionsBusy(ActionUnreachable):
    """The action was not started, because too many of the client's actions are in progress in this
    worker. It is retried until one of them has ended."""

    code = "actions_busy"


class ActionUnknown(DomainError):
    """The network connection broke after the request was sent. The action may or may not have taken
    effect."""

    code = "action_unknown"


class MailRefused(ActionRefused):
    """The email was not sent, and a retry cannot succeed. If `by_server` is true, a mail server
    rejected the email, which reduces the client's mail allowance."""

    code = "mail_refused"

    def __init__(self, message: str = "", *, by_server: bool = False) -> None:
        super().__init__(message, sent=by_server)
        self.by_server = by_server


class MailRecipientUnproved(MailRefused):
    """The email was not sent, because the client has no verified sender, and there is no proof that
    the recipient has written to the service."""

    code = "mail_recipient_unproved"


class MailNameProtected(MailRefused):
    """The email was not sent from the service's address, because the client's name resembles the
    name of a carrier, a bank or the service."""

    code = "mail_name_protected"


class MailLimitReached(MailRefused):
    """The email was not sent, because a daily limit is reached. The limit is the client's
    allowance, the limit for this kind of mail to one address, or a limit shared by all
    unaccountable clients (`is_accountable`)."""

    code = "mail_limit_reached"


class MailLoginRefused(MailRefused):
    """The client's mail server rejects the user name and password."""

    code = "mail_login_refused"


class MailServerForbidden(MailRefused):
    """The service is not allowed to connect to the address of the client's mail server."""

    code = "mail_server_forbidden"


class MailUnreachable(ActionUnreachable):
    """No SMTP server accepted the email, and sending may be retried. If `by_server` is true, a mail
    server deferred only this email."""

    code = "mail_unreachable"

    def __init__(self, message: str = "", *, by_server: bool = False) -> None:
        super().__init__(message)
        self.by_server = by_server


class MailServersBusy(MailUnreachable):
    """The email was not sent, because no connection slot to clients' own mail servers was free in
    time. Sending is retried until a slot is free."""

    code = "mail_servers_busy"


class MailServerUntrusted(MailUnreachable):
    """The client's mail server offers no TLS, or its certificate is not trusted."""

    code = "mail_server_untrusted"


class MailUnknown(ActionUnknown):
    """The network connection broke after the email's text was transmitted. The email may or may not
    have been sent."""

    code = "mail_unknown"


class UnknownProvider(DomainError):
    """A stored connection belongs to a provider that this version does not support.

    Another version created it. It is left unchanged, and work that needs it waits for that version
    or for the connection's end.
    """

    code = "unknown_provider"
    retryable = True

    def __init__(self, integration_id: str, provider: str) -> None:
        super().__init__(f"integration {integration_id}: this version knows no provider {provider}")
