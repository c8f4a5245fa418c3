"""The email, in French and English, to a client's owner and admins about the API keys of a member
who left.

It shows each key's prefix and two dates, but no label.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from domain.core.ports import OutgoingMail
from domain.core.service_name import ServiceName
from domain.tenants.loosening_mail import user_key

_SUBJECT: Final = "Clés d'API d'un membre parti / API keys of a member who left"
_TEXT: Final = """Bonjour,

Un membre a quitté votre compte. Les clés d'API qu'il avait créées restent valables : toute \
personne qui en a une copie peut encore s'en servir.

{french}

Révoquez celles dont vos systèmes n'ont pas besoin : {page}

Hello,

A member left your account. The API keys that they made stay valid: anyone with a copy can still \
use them.

{english}

Revoke the keys that your systems do not need: {page}
"""


@dataclass(frozen=True, slots=True)
class LeftKey:
    """An active API key that belongs to a member who left. `prefix` contains the first characters
    of the key."""

    id: str
    prefix: str
    created_at: datetime
    last_used_at: datetime | None


def left_keys_mail(
    keys: Sequence[LeftKey],
    left_at: datetime,
    user_id: str,
    to: str,
    *,
    dashboard_url: str,
    service: ServiceName,
) -> OutgoingMail:
    """Return the email to one manager about the keys of a member who left. The email `name` depends
    only on the first key, the time of departure and the manager."""
    text = _TEXT.format(
        french="\n".join(map(_french, keys)),
        english="\n".join(map(_english, keys)),
        page=f"{dashboard_url}/members",
    )
    return OutgoingMail(
        name=f"keys.{keys[0].id.lower()}.{int(left_at.timestamp())}.{user_key(user_id)}",
        to=to,
        from_name=service.name,
        subject=_SUBJECT,
        text=text,
        auto_submitted="auto-generated",
    )


def _french(key: LeftKey) -> str:
    used = f"utilisée le {key.last_used_at:%d/%m/%Y}" if key.last_used_at else "jamais utilisée"
    return f"- {key.prefix}… : créée le {key.created_at:%d/%m/%Y}, {used}"


def _english(key: LeftKey) -> str:
    used = f"last used on {key.last_used_at:%Y-%m-%d}" if key.last_used_at else "never used"
    return f"- {key.prefix}…: made on {key.created_at:%Y-%m-%d}, {used}"
