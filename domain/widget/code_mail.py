"""The mail that brings a visitor the code, in French and in English.

It holds nothing that the visitor wrote: a stranger who enters another person's address must not
choose what that person reads. The shop's name is in it only under the shop's own verified sender.
"""

from dataclasses import dataclass
from typing import Final

from domain.core.ports import OutgoingMail
from domain.core.service_name import ServiceName


@dataclass(frozen=True, slots=True)
class _Words:
    subject: str
    of_shop: str
    of_site: str
    text: str


_WORDS: Final = {
    "fr": _Words(
        subject="Votre code : {code}",
        of_shop="la messagerie de « {shop} »",
        of_site="la messagerie du site que vous consultez",
        text=(
            "Bonjour,\n\nVotre code pour {chat} est {code}. Il est valable "
            "{minutes} minutes, une seule fois, dans la fenêtre où il a été demandé.\n\nSi vous "
            "n'avez rien demandé, ignorez ce message et ne communiquez ce code à personne : il "
            "donne accès à vos commandes.\n"
        ),
    ),
    "en": _Words(
        subject="Your code: {code}",
        of_shop="the chat of “{shop}”",
        of_site="the chat of the site that you are visiting",
        text=(
            "Hello,\n\nYour code for {chat} is {code}. It is valid for {minutes} "
            "minutes, once, in the window that asked for it.\n\nIf you asked for nothing, ignore "
            "this message and pass the code on to nobody: it opens your orders.\n"
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
    shop: str | None,
    service: ServiceName,
) -> OutgoingMail:
    """`shop`: the name that the client's customers know it by, None under the service's sender."""
    words = _WORDS[language]
    chat = words.of_site if shop is None else words.of_shop.format(shop=shop)
    return OutgoingMail(
        name=f"widget.{code_id.lower()}",
        to=to,
        from_name=service.name if shop is None else shop,
        subject=words.subject.format(code=code),
        text=words.text.format(code=code, chat=chat, minutes=minutes),
        auto_submitted="auto-generated",
    )
