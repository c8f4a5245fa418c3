"""The way that mail goes out."""

from adapters.mail.mailer import SmtpMailer
from adapters.mail.own_servers import OwnServers
from adapters.mail.smtp_guard import SmtpGuard
from adapters.webhooks.dial import tls_context
from domain.core.ports import Sealer
from settings import Settings


def build_mailer(settings: Settings, sealer: Sealer) -> SmtpMailer:
    """A client's mail server may be where its webhooks may go: the same settings say so. Raises
    InvalidInput, OSError."""
    guard = SmtpGuard(allow_private=settings.webhooks.allow_private_addresses)
    own = OwnServers(sealer, guard, tls_context(settings.webhooks.ca_file))
    return SmtpMailer(settings.mail.smtp_url, settings.mail.sender, own)
