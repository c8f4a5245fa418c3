"""The outgoing email path with test servers, and an email for it."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from activities.integrations.client_mail import ClientMail
from activities.integrations.mail_limiter import MailLimiter
from activities.integrations.rating_question import RatingQuestion
from activities.integrations.service_mails import ServiceMails
from adapters.mail.mail_places import MailPlaces
from adapters.mail.mailer import SmtpMailer
from adapters.mail.own_servers import OwnServers
from adapters.mail.smtp_guard import SmtpGuard
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from adapters.webhooks.dial import tls_context
from adapters.webhooks.lookup import LookUp, system_look_up
from domain.core.ids import TenantId
from domain.core.ports import Clock, Mailer, MailSender, OutgoingMail, ServicePermit, SmtpServer
from domain.core.service_name import ServiceName
from domain.integrations.client_sender import seal_password
from store.core.database import Database
from tests.support.integrations.senders import SERVICE
from tests.support.servers.client_smtp import PASSWORD, USERNAME

MAILS_SEALER: Final = FernetSealer(new_seal_key())
CLIENT: Final = TenantId(new_ulid())
ADDRESS: Final = "contact@shop.example"
MAIL: Final = OutgoingMail(
    name="reply.1", to="lea@example.com", from_name="Chez Nous", subject="Re: x", text="Bonjour"
)
PERMIT: Final = ServicePermit(MAIL.to)


def by(
    server: SmtpServer | None, *, client: TenantId = CLIENT, verified: bool = True
) -> MailSender:
    return MailSender(
        client_id=client,
        address=ADDRESS,
        reply_to="answers@shop.example",
        server=server,
        verified=verified,
    )


def with_login(server: SmtpServer, password: str = PASSWORD) -> SmtpServer:
    sealed = seal_password(MAILS_SEALER, CLIENT, password)
    return replace(server, username=USERNAME, sealed_password=sealed)


def mailer_to(
    url: str | None,
    *,
    mail_from: str = SERVICE,
    ca_file: Path | None = None,
    allow_private: bool = True,
    look_up: LookUp = system_look_up,
    sealer: FernetSealer = MAILS_SEALER,
    places: MailPlaces | None = None,
) -> SmtpMailer:
    guard = SmtpGuard(allow_private=allow_private, look_up=look_up)
    return SmtpMailer(url, mail_from, OwnServers(sealer, guard, tls_context(ca_file), places))


def client_mail(
    database: Database, mailer: Mailer, question: RatingQuestion | None = None
) -> ClientMail:
    limiter = MailLimiter(database, MAILS_SEALER, utc_now)
    return ClientMail(database, mailer, limiter, utc_now, question, service=ServiceName())


def service_mails(database: Database, mailer: Mailer, now: Clock = utc_now) -> ServiceMails:
    return ServiceMails(mailer, MailLimiter(database, MAILS_SEALER, now))
