"""The way that mail goes out, with servers of the tests' own at its end."""

from pathlib import Path

from adapters.mail.mailer import SmtpMailer
from adapters.mail.own_servers import OwnServers
from adapters.mail.smtp_guard import SmtpGuard
from adapters.seal import FernetSealer, new_seal_key
from adapters.webhooks.dial import tls_context
from adapters.webhooks.lookup import LookUp, system_look_up
from tests.support.integrations.senders import SERVICE

MAILS_SEALER = FernetSealer(new_seal_key())


def mailer_to(
    url: str | None,
    *,
    mail_from: str = SERVICE,
    ca_file: Path | None = None,
    allow_private: bool = True,
    look_up: LookUp = system_look_up,
    sealer: FernetSealer = MAILS_SEALER,
) -> SmtpMailer:
    guard = SmtpGuard(allow_private=allow_private, look_up=look_up)
    return SmtpMailer(url, mail_from, OwnServers(sealer, guard, tls_context(ca_file)))
