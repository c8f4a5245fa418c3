"""The email to a client's owner, in French and English, about a language model that the agent
cannot use. It contains no provider message."""

from datetime import datetime
from typing import Final

from domain.agent.model_fault import ModelFault
from domain.core.ids import TenantId
from domain.core.ports import OutgoingMail
from domain.core.service_name import ServiceName

_CAUSES: Final = {
    ModelFault.UNAUTHORIZED: (
        "le fournisseur refuse la clé d'API",
        "the provider rejects the API key",
    ),
    ModelFault.QUOTA_EXCEEDED: (
        "le crédit chez le fournisseur est épuisé",
        "the credit at the provider is used up",
    ),
    ModelFault.BUDGET: ("son budget est épuisé", "its budget is used up"),
}
"""The cause of each alarm, in French and English."""

_SUBJECT: Final = "Modèle de langage indisponible / Language model unavailable"
_TEXT: Final = """Bonjour,

L'agent ne peut plus utiliser son modèle de langage depuis le {french_day} (UTC) : {french}. \
Aucun ticket n'est perdu : l'agent répond quand vos contenus suffisent, et les autres tickets \
attendent votre équipe.

Demandez à l'exploitant du service de corriger la cause. Ce problème disparaît de l'accueil dès \
qu'un appel au modèle réussit : {page}

Hello,

The agent cannot use its language model since {english_day} (UTC): {english}. No ticket is lost: \
the agent answers if your content is sufficient, and the other tickets wait for your team.

Ask the operator of the service to fix the cause. Home stops showing this problem as soon as a \
call to the model succeeds: {page}
"""


def model_alarm_mail(
    fault: ModelFault,
    since: datetime,
    tenant: TenantId,
    to: str,
    *,
    dashboard_url: str,
    service: ServiceName,
) -> OutgoingMail:
    """Return the email to the owner about one alarm. The email `name` depends only on the client,
    the fault and the alarm's start."""
    french, english = _CAUSES[fault]
    text = _TEXT.format(
        french=french,
        english=english,
        french_day=f"{since:%d/%m/%Y à %H:%M}",
        english_day=f"{since:%Y-%m-%d %H:%M}",
        page=dashboard_url,
    )
    return OutgoingMail(
        name=f"model.{tenant.lower()}.{fault.value}.{int(since.timestamp())}",
        to=to,
        from_name=service.name,
        subject=_SUBJECT,
        text=text,
        auto_submitted="auto-generated",
    )
