"""Error responses of the inbound hub, part of the table in `api/errors.py`."""

from typing import Final

from api.error_answer import ErrorAnswer
from domain.core.errors import DomainError
from domain.inbound.errors import (
    DataRequestNotFound,
    EndpointExists,
    EndpointNotFound,
    InboundAddressUnknown,
    InboundBusy,
    InboundRefused,
    InboundWebhookNotFound,
    InvalidEndpoint,
    WebhookUnreadable,
)

INBOUND_ANSWERS: Final[dict[type[DomainError], ErrorAnswer]] = {
    InboundAddressUnknown: ErrorAnswer(404, "Adresse de webhook inconnue."),
    InboundRefused: ErrorAnswer(401, "Webhook refusé : signature absente, fausse ou trop vieille."),
    WebhookUnreadable: ErrorAnswer(400, "Webhook illisible : {reason}"),
    InboundBusy: ErrorAnswer(503, "Trop de courriers à la fois. Réessayez dans un instant."),
    InboundWebhookNotFound: ErrorAnswer(404, "Webhook entrant introuvable."),
    EndpointNotFound: ErrorAnswer(404, "Cette intégration n'a pas d'adresse de webhook."),
    EndpointExists: ErrorAnswer(
        409, "Cette intégration a déjà une adresse de webhook ; renouvelez-la plutôt."
    ),
    InvalidEndpoint: ErrorAnswer(400, "Adresse de webhook invalide : champ « {reason} »"),
    DataRequestNotFound: ErrorAnswer(404, "Demande de données introuvable."),
}
