"""The email with an answer for a visitor who has left the web page."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from domain.core.ports import OutgoingMail
from domain.tenants.disclosure import disclosed

LATE_AFTER: Final = timedelta(seconds=30)
"""Time after which the visitor's own request no longer waits for the answer (`DEADLINE_S` of the
gateway)."""

_SUBJECTS: Final = {"fr": "Réponse de {brand}", "en": "Answer from {brand}"}
_TEXTS: Final = {
    "fr": "Bonjour,\n\nVous nous avez écrit dans le chat de notre site. Voici notre réponse :\n\n"
    "{answer}\n",
    "en": "Hello,\n\nYou wrote to us in the chat on our site. Here is our answer:\n\n{answer}\n",
}


@dataclass(frozen=True, slots=True)
class UnseenAnswer:
    """An answer that the visitor has not seen. `to` is the address verified for the session, never
    one that was only typed."""

    message_id: str
    run_id: str
    to: str
    language: str
    text: str


def answer_mail(answer: UnseenAnswer, brand: str, disclosure: str = "") -> OutgoingMail:
    """Return the email with an answer, with a Message-ID that depends only on the answer. `brand`
    is the shop's name. `disclosure` is the AI disclosure for an agent's answer."""
    text = _TEXTS[answer.language].format(answer=answer.text)
    return OutgoingMail(
        name=f"answer.{answer.message_id.lower()}",
        to=answer.to,
        from_name=brand,
        subject=_SUBJECTS[answer.language].format(brand=brand),
        text=disclosed(text, disclosure),
        auto_submitted="auto-generated",
    )
