"""The email, in French and English, with the verification code for the author of a helpdesk ticket.

The text is fixed. An attacker who enters another person's address must not choose what that person
reads.
"""

from typing import Final, Literal

from domain.core.ports import OutgoingMail

_NAMES: Final = {"fr": "Vérification d'adresse", "en": "Address verification"}
_SUBJECTS: Final = {"fr": "Votre code : {code}", "en": "Your code: {code}"}
_TEXTS: Final = {
    "fr": (
        "Bonjour,\n\nVotre code de vérification est {code}. Il est valable {minutes} minutes, une "
        "seule fois, dans la demande au service client où il vous a été demandé.\n\nSi vous n'avez "
        "rien demandé, ignorez ce message et ne communiquez ce code à personne : il donne accès à "
        "vos commandes.\n"
    ),
    "en": (
        "Hello,\n\nYour verification code is {code}. It is valid for {minutes} minutes, once, in "
        "the customer service request that asked for it.\n\nIf you did not ask for it, ignore this "
        "message and do not share the code: it gives access to your orders.\n"
    ),
}


def address_code_mail(
    code_id: str, *, to: str, language: Literal["fr", "en"], code: str, minutes: int
) -> OutgoingMail:
    """Return the email with the code that verifies the address of a ticket's author. `minutes` is
    the lifetime of the code."""
    return OutgoingMail(
        name=f"address.{code_id.lower()}",
        to=to,
        from_name=_NAMES[language],
        subject=_SUBJECTS[language].format(code=code),
        text=_TEXTS[language].format(code=code, minutes=minutes),
        auto_submitted="auto-generated",
    )
