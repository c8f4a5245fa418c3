"""The email, in French and English, with the code that verifies a client's sender address.

The email does not contain text from the client, because the address may belong to a stranger.
"""

from typing import Final

from domain.core.ports import OutgoingMail
from domain.core.service_name import ServiceName
from domain.integrations.client_sender import CODE_LIFETIME

_MINUTES: Final = round(CODE_LIFETIME.total_seconds() / 60)
_SUBJECT: Final = {
    "fr": "Code de vérification de votre adresse d'envoi : {code}",
    "en": "Code that verifies your sender address: {code}",
}
_TEXT: Final = {
    "fr": (
        "Bonjour,\n\nCette adresse a été indiquée comme adresse d'envoi des réponses d'une "
        "boutique à ses clients. Pour la confirmer, saisissez le code {code} dans le tableau de "
        "bord. Il est valable {minutes} minutes, une seule fois.\n\nSi vous n'avez rien demandé, "
        "ignorez ce message : sans ce code, rien n'est envoyé sous votre adresse.\n"
    ),
    "en": (
        "Hello,\n\nThis address was given as the sender of a shop's answers to its customers. To "
        "confirm it, enter the code {code} in the dashboard. It is valid for {minutes} minutes, "
        "once.\n\nIf you asked for nothing, ignore this message: without the code nothing is sent "
        "under your address.\n"
    ),
}


def sender_code_mail(
    code_id: str, to: str, language: str, code: str, *, service: ServiceName
) -> OutgoingMail:
    """Return the email with the verification code, in `fr` or `en`. Its Message-ID depends only on
    `code_id`, so a retry sends the same email."""
    return OutgoingMail(
        name=f"sender.{code_id.lower()}",
        to=to,
        from_name=service.name,
        subject=_SUBJECT[language].format(code=code),
        text=_TEXT[language].format(code=code, minutes=_MINUTES),
        auto_submitted="auto-generated",
    )
