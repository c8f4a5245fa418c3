"""The mails of signing in, in French and in English.

None of them holds what a stranger typed, but for the shop's name in an invitation: whoever signs up
for somebody else's address must not choose what that person reads.
"""

from dataclasses import dataclass
from typing import Final

from domain.core.ports import OutgoingMail
from domain.core.service_name import ServiceName
from domain.identity.code import LIFETIME
from domain.identity.invitation import INVITED_FOR, Invitation

_MINUTES: Final = round(LIFETIME.total_seconds() / 60)


@dataclass(frozen=True, slots=True)
class _Words:
    code: str
    code_text: str
    no_account: str
    no_account_text: str
    invitation: str
    invitation_text: str


_FRENCH: Final = _Words(
    code="Votre code de connexion : {code}",
    code_text=(
        "Bonjour,\n\nVotre code de connexion est {code}. Il est valable {minutes} minutes, une "
        "seule fois.\n\nSi vous n'avez rien demandé, ignorez ce message : sans ce code, personne "
        "ne peut se connecter avec votre adresse. Ne le communiquez à personne.\n"
    ),
    no_account="Aucun compte à cette adresse",
    no_account_text=(
        "Bonjour,\n\nQuelqu'un a voulu se connecter avec cette adresse, mais aucun compte n'y est "
        "rattaché. Pour ouvrir un compte, indiquez aussi le nom de votre boutique : "
        "{sign_in}\n\nSi vous n'avez rien demandé, ignorez ce message.\n"
    ),
    invitation="Invitation à rejoindre « {brand} »",
    invitation_text=(
        "Bonjour,\n\nVous êtes invité(e) à rejoindre l'équipe de « {brand} ». Pour accepter, "
        "connectez-vous avec cette adresse dans les {days} jours : {sign_in}\n\nSi vous ne "
        "connaissez pas cette boutique, ignorez ce message.\n"
    ),
)
_ENGLISH: Final = _Words(
    code="Your sign-in code: {code}",
    code_text=(
        "Hello,\n\nYour sign-in code is {code}. It is valid for {minutes} minutes, once.\n\nIf you "
        "asked for nothing, ignore this message: without the code nobody can sign in with your "
        "address. Do not pass it on.\n"
    ),
    no_account="No account for this address",
    no_account_text=(
        "Hello,\n\nSomebody wanted to sign in with this address, but it has no account. To open "
        "one, give the name of your shop as well: {sign_in}\n\nIf you asked for nothing, ignore "
        "this message.\n"
    ),
    invitation="Invitation to join “{brand}”",
    invitation_text=(
        "Hello,\n\nYou are invited to join the team of “{brand}”. To accept, sign in with this "
        "address within {days} days: {sign_in}\n\nIf you do not know this shop, ignore this "
        "message.\n"
    ),
)
LANGUAGES: Final = {"fr": _FRENCH, "en": _ENGLISH}


def code_mail(
    code_id: str, to: str, language: str, code: str, *, service: ServiceName
) -> OutgoingMail:
    words = LANGUAGES[language]
    return _mail(
        code_id,
        to,
        service,
        words.code.format(code=code),
        words.code_text.format(code=code, minutes=_MINUTES),
    )


def no_account_mail(
    code_id: str, to: str, language: str, *, sign_in: str, service: ServiceName
) -> OutgoingMail:
    """`sign_in`: the address of the page."""
    words = LANGUAGES[language]
    return _mail(
        code_id, to, service, words.no_account, words.no_account_text.format(sign_in=sign_in)
    )


def invitation_mail(
    invitation: Invitation, brand: str, *, sign_in: str, service: ServiceName
) -> OutgoingMail:
    """`sign_in`: the address of the page."""
    words = LANGUAGES[invitation.language]
    text = words.invitation_text.format(brand=brand, days=INVITED_FOR.days, sign_in=sign_in)
    subject = words.invitation.format(brand=brand)
    return _mail(invitation.id, invitation.email, service, subject, text)


def _mail(record_id: str, to: str, service: ServiceName, subject: str, text: str) -> OutgoingMail:
    """The same record always has the same name."""
    return OutgoingMail(
        name=f"accounts.{record_id.lower()}",
        to=to,
        from_name=service.name,
        subject=subject,
        text=text,
        auto_submitted="auto-generated",
    )
