"""The emails for signing in and for invitations, in French and in English.

They never contain text that a client typed, because an account must not choose the words that a
stranger receives. An invitation contains the inviting member's verified address.
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
    invitation_of_operator: str
    inviter: str
    no_inviter: str
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
        "rattaché. Pour ouvrir un compte : "
        "{sign_up}\n\nSi vous n'avez rien demandé, ignorez ce message.\n"
    ),
    invitation="{inviter} vous invite dans son équipe",
    invitation_of_operator="Invitation à rejoindre une équipe",
    inviter="{inviter} vous invite à rejoindre son équipe de service client.",
    no_inviter="Vous êtes invité(e) à rejoindre une équipe de service client.",
    invitation_text=(
        "Bonjour,\n\n{who} Pour voir le nom de la boutique, puis accepter ou refuser, "
        "connectez-vous avec cette adresse dans les {days} jours : {page}\n\nSi vous n'attendez "
        "aucune invitation, ignorez ce message : vous ne rejoignez aucune équipe sans accepter.\n"
    ),
)
_ENGLISH: Final = _Words(
    code="Your sign-in code: {code}",
    code_text=(
        "Hello,\n\nYour sign-in code is {code}. It works once and expires in {minutes} minutes. "
        "Never share it.\n\nIf you didn't ask for it, ignore this email. Without the code, your "
        "account stays closed.\n"
    ),
    no_account="No account for this address",
    no_account_text=(
        "Hello,\n\nSomeone tried to sign in with this address, but it has no account. To create "
        "one: {sign_up}\n\nIf it wasn't you, ignore this email.\n"
    ),
    invitation="{inviter} invites you to their team",
    invitation_of_operator="You're invited to join a team",
    inviter="{inviter} invites you to join their customer support team.",
    no_inviter="You are invited to join a customer support team.",
    invitation_text=(
        "Hello,\n\n{who} To see the shop's name and accept or decline, sign in with this "
        "address within {days} days: {page}\n\nIf you weren't expecting this, ignore this email. "
        "You join a team only if you accept.\n"
    ),
)
LANGUAGES: Final = {"fr": _FRENCH, "en": _ENGLISH}


def code_mail(
    code_id: str, to: str, language: str, code: str, *, service: ServiceName
) -> OutgoingMail:
    """Return the email with a sign-in code. `code_id` is the code's id, which identifies the
    email."""
    words = LANGUAGES[language]
    return _mail(
        code_id,
        to,
        service,
        words.code.format(code=code),
        words.code_text.format(code=code, minutes=_MINUTES),
    )


def no_account_mail(
    code_id: str, to: str, language: str, *, sign_up: str, service: ServiceName
) -> OutgoingMail:
    """Return the email sent to an address without an account. `sign_up` is the URL of the sign-up
    page."""
    words = LANGUAGES[language]
    return _mail(
        code_id, to, service, words.no_account, words.no_account_text.format(sign_up=sign_up)
    )


def invitation_mail(
    invitation: Invitation, inviter: str | None, *, page: str, service: ServiceName
) -> OutgoingMail:
    """Return the invitation mail, a fixed text that names the inviter in the subject and the first
    line. `inviter` is a verified address, or None for an operator. `page` is the URL of the
    invitations page."""
    words = LANGUAGES[invitation.language]
    who, subject = words.no_inviter, words.invitation_of_operator
    if inviter:
        who = words.inviter.format(inviter=inviter)
        subject = words.invitation.format(inviter=inviter)
    text = words.invitation_text.format(who=who, days=INVITED_FOR.days, page=page)
    return _mail(invitation.id, invitation.email, service, subject, text)


def _mail(record_id: str, to: str, service: ServiceName, subject: str, text: str) -> OutgoingMail:
    """Return an email to a user. The same record always yields the same email `name`."""
    return OutgoingMail(
        name=f"accounts.{record_id.lower()}",
        to=to,
        from_name=service.name,
        subject=subject,
        text=text,
        auto_submitted="auto-generated",
    )
