"""Generate and email the code that verifies a client's sender address. The code is emailed after
the commit."""

import secrets

from api.resources import Resources
from domain.core.ids import TenantId
from domain.identity.code import CODES, code_text
from domain.identity.contracts import SendMailInput
from services.integrations.mail_senders import DrawnCode


def drawn_code(language: str) -> DrawnCode:
    """Return a new random verification code. `language` is the language of the email that will
    contain it."""
    return DrawnCode(code_text(secrets.randbelow(CODES)), language)


async def mail_sender_code(resources: Resources, tenant: TenantId, code_id: str) -> None:
    """Start the workflow that emails the stored verification code."""
    await resources.engine.mail(
        SendMailInput(kind="mail_sender", record_id=code_id, client_id=tenant)
    )
