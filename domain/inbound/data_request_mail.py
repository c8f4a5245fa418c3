"""The email, in French, that informs a client's owner about a customer's data request."""

from domain.core.ports import OutgoingMail
from domain.core.service_name import ServiceName
from domain.inbound.data_request import DataRequest


def data_request_mail(
    request: DataRequest, owner_email: str, *, dashboard_url: str, service: ServiceName
) -> OutgoingMail:
    """Return the email to the owner. Its Message-ID depends only on the data request, so a retry
    sends the same email.

    It omits the customer's name because emails remain in the owner's mailbox.
    """
    return OutgoingMail(
        name=f"data-requests.{request.id.lower()}",
        to=owner_email,
        from_name=service.name,
        subject="Une personne demande ses données",
        text="\n\n".join(
            (
                "Bonjour,",
                "Votre boutique nous a transmis la demande d'une personne qui souhaite recevoir "
                "les données que vous conservez à son sujet. Vous devez lui répondre avant le "
                f"{request.due_at:%d/%m/%Y}.",
                "Le tableau de bord indique de qui il s'agit et prépare le fichier à lui "
                f"remettre : {dashboard_url}",
                f"Identifiant : {request.id}",
                f"Pour un exploitant : cli.py data-request export {request.id}",
            )
        )
        + "\n",
        auto_submitted="auto-generated",
    )
