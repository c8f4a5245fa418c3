"""Build the services that send email."""

from dataclasses import dataclass

from activities.integrations.client_mail import ClientMail
from activities.integrations.mail_limiter import MailLimiter
from activities.integrations.rating_question import RatingQuestion
from activities.integrations.service_mails import ServiceMails
from adapters.mail.mailer import SmtpMailer
from adapters.mail.own_servers import OwnServers
from adapters.mail.smtp_guard import SmtpGuard
from adapters.system import utc_now
from adapters.webhooks.dial import tls_context
from domain.core.ports import Sealer
from settings import Settings
from store.core.database import Database


def build_mailer(settings: Settings, sealer: Sealer) -> SmtpMailer:
    """Return the mailer. WEBHOOK_ALLOW_PRIVATE_ADDRESSES and WEBHOOK_CA_FILE also apply to clients'
    mail servers. Raises InvalidInput, and OSError for an unreadable WEBHOOK_CA_FILE."""
    guard = SmtpGuard(allow_private=settings.webhooks.allow_private_addresses)
    own = OwnServers(sealer, guard, tls_context(settings.webhooks.ca_file))
    return SmtpMailer(settings.mail.smtp_url, settings.mail.sender, own)


@dataclass(frozen=True, slots=True)
class OutgoingMails:
    """The services that send email, each with its limits."""

    limiter: MailLimiter
    service: ServiceMails
    client: ClientMail


def build_outgoing(settings: Settings, database: Database, sealer: Sealer) -> OutgoingMails:
    """Create the senders of the service's and the clients' emails, with a common limiter."""
    mailer = build_mailer(settings, sealer)
    limiter = MailLimiter(database, sealer, utc_now)
    question = RatingQuestion(sealer, settings.server.origin, utc_now)
    client = ClientMail(
        database, mailer, limiter, utc_now, question, service=settings.server.service
    )
    return OutgoingMails(limiter, ServiceMails(mailer, limiter), client)
