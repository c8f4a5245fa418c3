"""The email, in French, that notifies a client's owner of a failing or disabled webhook.

It names the webhook by its id because a service mail contains no text from the client, such as a
label or URL.
"""

from dataclasses import dataclass
from typing import Final

from domain.core.ports import OutgoingMail
from domain.core.service_name import ServiceName
from domain.webhooks.delivery import FailureKind
from domain.webhooks.webhook import DISABLED_AT, Notice

_REASONS: Final = {
    FailureKind.HTTP_3XX: "redirection, jamais suivie",
    FailureKind.HTTP_4XX: "refus du récepteur",
    FailureKind.HTTP_5XX: "erreur du récepteur",
    FailureKind.TIMEOUT: "aucune réponse en 10 secondes",
    FailureKind.DNS: "nom de domaine introuvable",
    FailureKind.TLS: "certificat ou connexion TLS invalide",
    FailureKind.CONNECT: "connexion impossible ou interrompue",
    FailureKind.BLOCKED_ADDRESS: "adresse privée ou réservée, interdite",
    FailureKind.TOO_LARGE: "en-têtes de réponse trop volumineux",
    FailureKind.PROTOCOL: "réponse qui n'est pas du HTTP",
}


@dataclass(frozen=True, slots=True)
class TroubledWebhook:
    """The failing webhook, its client's owner, and the latest failure. `failures` counts
    consecutive ones. `status` is the HTTP status, if any."""

    owner_email: str
    webhook_id: str
    failures: int
    kind: FailureKind | None
    status: int | None


def notice_mail(
    notice: Notice,
    webhook: TroubledWebhook,
    *,
    delivery_id: str,
    dashboard_url: str,
    service: ServiceName,
) -> OutgoingMail:
    """Return the email to the owner. Its Message-ID depends only on `delivery_id`, so a retry sends
    the same email."""
    disabled = notice is not Notice.FAILING
    return OutgoingMail(
        name=f"webhooks.{delivery_id.lower()}",
        to=webhook.owner_email,
        from_name=service.name,
        subject="Un de vos webhooks " + ("est désactivé" if disabled else "est en échec"),
        text="\n\n".join(
            (
                "Bonjour,",
                _what(notice, webhook),
                f"Identifiant : {webhook.webhook_id}\nDernière cause : {_reason(webhook)}",
                _and_now(notice, dashboard_url),
                f"Pour un exploitant : cli.py webhook deliveries {webhook.webhook_id}",
            )
        )
        + "\n",
        auto_submitted="auto-generated",
    )


def _what(notice: Notice, webhook: TroubledWebhook) -> str:
    match notice:
        case Notice.FAILING:
            return (
                f"Les {webhook.failures} derniers envois à un de vos webhooks ont échoué. Après "
                f"{DISABLED_AT} échecs de suite, il sera désactivé et ne recevra plus rien ; "
                "une seule réponse 2xx remet le compte à zéro."
            )
        case Notice.DISABLED:
            return (
                f"Un de vos webhooks a été désactivé après {DISABLED_AT} échecs de "
                "suite : il ne reçoit plus rien."
            )
        case Notice.GONE:
            return (
                "Un de vos webhooks a été désactivé : son adresse a répondu 410, "
                "c'est-à-dire qu'elle ne veut plus rien recevoir."
            )


def _reason(webhook: TroubledWebhook) -> str:
    reason = _REASONS[webhook.kind] if webhook.kind else "inconnue"
    return f"{reason} (HTTP {webhook.status})" if webhook.status else reason


def _and_now(notice: Notice, dashboard_url: str) -> str:
    if notice is Notice.FAILING:
        return f"Le détail de chaque envoi est dans votre tableau de bord : {dashboard_url}"
    return (
        "Le détail de chaque envoi est dans votre tableau de bord. Une fois la cause corrigée, "
        f"réactivez-y le webhook et renvoyez-lui ce qu'il a manqué : {dashboard_url}"
    )
