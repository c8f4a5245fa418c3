"""The email, in French and English, with a visitor's verification code.

It contains no text from the visitor, because an attacker may enter another person's address. It
does not name the shop, because this service sends it.
"""

from dataclasses import dataclass
from typing import Final

from domain.core.ports import OutgoingMail
from domain.core.service_name import ServiceName


@dataclass(frozen=True, slots=True)
class _Words:
    subject: str
    text: str


_WORDS: Final = {
    "fr": _Words(
        subject="Votre code : {code}",
        text=(
            "Bonjour,\n\nVotre code : {code}\n\nSaisissez-le dans la discussion où vous l'avez "
            "demandé. Il est valable {minutes} minutes, une seule fois.\n\nVous n'avez rien "
            "demandé ? Ignorez ce message, et ne donnez ce code à personne : il donne accès à vos "
            "commandes.\n"
        ),
    ),
    "en": _Words(
        subject="Your code: {code}",
        text=(
            "Hello,\n\nYour code: {code}\n\nEnter it in the chat where you asked for it. It is "
            "valid for {minutes} minutes, once.\n\nYou did not ask for a code? Ignore this "
            "message, and give the code to no one: it opens your orders.\n"
        ),
    ),
}


def visitor_code_mail(
    code_id: str,
    *,
    to: str,
    language: str,
    code: str,
    minutes: int,
    service: ServiceName,
) -> OutgoingMail:
    """Return the email with the code that verifies a widget visitor's address. `minutes` is the
    lifetime of the code."""
    words = _WORDS[language]
    return OutgoingMail(
        name=f"widget.{code_id.lower()}",
        to=to,
        from_name=service.name,
        subject=words.subject.format(code=code),
        text=words.text.format(code=code, minutes=minutes),
        auto_submitted="auto-generated",
    )
