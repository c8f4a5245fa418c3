"""The email, in French and English, to a client's owner and admins about a change that loosens
rules for the agent.

It contains no text from a member. The linked page shows the change.
"""

from typing import Final

from domain.core.ports import OutgoingMail
from domain.core.service_name import ServiceName
from domain.tenants.loosening import Loosening, LooseningState

_SUBJECT: Final = "Règles de l'agent assouplies / Agent rules loosened"
_WAITS: Final = """Bonjour,

Un membre a demandé une modification qui permet davantage à votre agent. Elle prendra effet le \
{at} (UTC), sauf si vous l'annulez. Vous pouvez aussi l'approuver : {page}

Hello,

A member requested a change that lets your agent do more. It takes effect on {at} (UTC) unless you \
cancel it. You can also approve it: {page}
"""
_DONE: Final = """Bonjour,

Une modification qui permet davantage à votre agent a pris effet le {at} (UTC). Si vous ne la \
reconnaissez pas, annulez-la dans vos playbooks ou vos paramètres : {page}

Hello,

A change that lets your agent do more took effect on {at} (UTC). If you do not recognize it, undo \
it in your playbooks or settings: {page}
"""


def loosening_mail(
    loosening: Loosening, user_id: str, to: str, *, dashboard_url: str, service: ServiceName
) -> OutgoingMail:
    """Return the email to one manager about a change that loosens rules. The same change and
    manager always yield the same email `name`."""
    waits = loosening.state is LooseningState.PENDING
    text = _WAITS if waits else _DONE
    at = f"{loosening.takes_effect_at:%Y-%m-%d %H:%M}"
    return OutgoingMail(
        name=f"loosenings.{loosening.id.lower()}.{user_key(user_id)}",
        to=to,
        from_name=service.name,
        subject=_SUBJECT,
        text=text.format(at=at, page=f"{dashboard_url}/loosenings"),
        auto_submitted="auto-generated",
    )


def user_key(user_id: str) -> str:
    """Return a user's id for a Message-ID, reduced to ASCII letters and digits in lower case."""
    return "".join(mark for mark in user_id.lower() if mark.isascii() and mark.isalnum())
