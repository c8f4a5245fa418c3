"""The one table of errors: which status and text a caller gets for which error.

The specification's texts stand to the letter, French and with their spelling.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import structlog
from starlette.requests import Request
from starlette.responses import Response

from api.json_body import json_response
from api.surface import Surface, surface_of
from domain import content_errors, errors, escalation_errors, webhook_errors

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a caller is told.

    `text` may name the error's facts in braces, `fields` are facts that the body has too, and
    `on` holds the texts of the families of routes that say it differently.
    """

    status: int
    text: str
    fields: tuple[str, ...] = ()
    on: Mapping[Surface, str] = field(default_factory=dict)

    def text_on(self, surface: Surface) -> str:
        if self.status >= 500 and surface is Surface.USAGE:
            return _INTERNAL
        return self.on.get(surface, self.text)


_INTERNAL: Final = "Erreur interne."
_UNAVAILABLE: Final = "Le moteur est momentanément indisponible. Réessayez dans quelques instants."

# RFC 9110 wants a 401 to name a scheme that the route takes.
_HEADERS: Final[Mapping[int, Mapping[str, str]]] = {401: {"www-authenticate": "Bearer"}}

ANSWERS: Final[dict[type[errors.DomainError], Answer]] = {
    errors.Unauthenticated: Answer(
        401,
        "Non autorisé",
        on={
            Surface.GATEWAY: "Non autorise.",
            Surface.USAGE: "Non autorise.",
            Surface.WIDGET: "Invalid API key",
        },
    ),
    errors.ApiKeyMissing: Answer(401, "api_key required"),
    errors.PlanRequired: Answer(
        402, "Cette fonctionnalité est réservée au plan Pro et aux plans supérieurs."
    ),
    errors.InvalidRequest: Answer(400, "Requête HTTP invalide."),
    errors.InvalidBody: Answer(400, "Corps de requête invalide : {reason}"),
    errors.ClientIdMissing: Answer(
        400, "client_id requis", on={Surface.USAGE: "Missing client_id"}
    ),
    errors.ClientIdRepeated: Answer(400, "client_id donné plusieurs fois"),
    errors.InvalidIdempotencyKey: Answer(
        400, "Idempotency-Key invalide : 1 à 255 caractères ASCII visibles attendus."
    ),
    errors.InvalidQuery: Answer(400, "Paramètre invalide : {reason}"),
    errors.InvalidExportFormat: Answer(400, "Format invalide"),
    errors.AccessDenied: Answer(403, "Acces refuse."),
    errors.RoleRequired: Answer(403, "Votre rôle ne permet pas cette action."),
    errors.NoClient: Answer(403, "Aucun client associé"),
    errors.ClientNotFound: Answer(
        404, "Client non trouve", on={Surface.USAGE: "Client introuvable."}
    ),
    content_errors.InvalidContent: Answer(400, "Contenu invalide : {reason}"),
    content_errors.InvalidSettings: Answer(400, "Paramètres invalides : {reason}"),
    content_errors.InvalidIntegration: Answer(400, "Intégration invalide : champ « {reason} »"),
    errors.ContentNotFound: Answer(404, "Contenu introuvable."),
    errors.IntegrationNotFound: Answer(404, "Intégration introuvable."),
    errors.RunNotFound: Answer(404, "Exécution introuvable."),
    errors.RouteNotFound: Answer(404, "Route introuvable"),
    escalation_errors.EscalationNotFound: Answer(404, "Demande de validation introuvable."),
    webhook_errors.InvalidWebhook: Answer(400, "Webhook invalide : {reason}"),
    webhook_errors.WebhookNotFound: Answer(404, "Webhook introuvable."),
    webhook_errors.WebhookEventNotFound: Answer(404, "Événement de webhook introuvable."),
    webhook_errors.DeliveryNotFound: Answer(404, "Livraison introuvable."),
    webhook_errors.WebhookDisabled: Answer(409, "Ce webhook est désactivé : réactivez-le d'abord."),
    webhook_errors.DeliveryPending: Answer(409, "Cette livraison n'est pas encore terminée."),
    content_errors.TooMuchContent: Answer(409, "{limit} au plus par client."),
    webhook_errors.TooManyWebhooks: Answer(409, "100 webhooks au plus par client."),
    errors.MethodNotAllowed: Answer(405, "Méthode non autorisée"),
    errors.BodyTooSlow: Answer(408, "Corps de requête trop lent : 10 s au plus."),
    errors.RunInProgress: Answer(
        409, "Une requête avec cette Idempotency-Key est en cours de traitement."
    ),
    escalation_errors.EscalationDecided: Answer(409, "Cette demande de validation est close."),
    escalation_errors.EscalationClaimed: Answer(
        409, "Quelqu'un d'autre s'occupe déjà de cette demande.", fields=("claimed_by",)
    ),
    escalation_errors.EscalationChanged: Answer(
        409, "Le texte de la réponse a changé : relisez-le avant de l'approuver."
    ),
    escalation_errors.SecondPersonRequired: Answer(
        409, "Vous avez déjà approuvé : une deuxième personne doit le faire."
    ),
    escalation_errors.DraftMissing: Answer(
        409, "L'agent n'a rien rédigé : écrivez la réponse vous-même."
    ),
    errors.BodyTooLarge: Answer(413, "Corps de requête trop volumineux : 1 Mio au plus."),
    errors.UnsupportedMediaType: Answer(
        415, "Content-Type application/json attendu, en UTF-8 et sans Content-Encoding."
    ),
    errors.IdempotencyKeyReused: Answer(
        422, "Idempotency-Key déjà utilisée avec un autre corps de requête."
    ),
    errors.CustomerRateLimited: Answer(
        429, "Rate limit: 10 messages/10min depasse pour {customer_email}"
    ),
    errors.ClientRateLimited: Answer(429, "Rate limit: 200 messages/heure depasse pour ce client"),
    errors.QuotaExhausted: Answer(
        429,
        "Quota de tickets épuisé. Achetez des crédits ou passez à un plan supérieur.",
        fields=("tickets_used", "tickets_limit", "credits_balance", "upgrade_url", "credits_url"),
    ),
    errors.TooManyRequests: Answer(429, "Trop de requêtes : {quota} par {window_s} s au plus."),
    errors.HeadTooLarge: Answer(431, "En-têtes trop volumineux : 64 Kio et 100 en-têtes au plus."),
    errors.EngineUnavailable: Answer(500, _UNAVAILABLE),
    errors.CommitUnknown: Answer(500, _UNAVAILABLE),
    errors.AnswerUnknown: Answer(
        500,
        "Le moteur est momentanément indisponible : on ignore si l'événement est enregistré. "
        "Le renvoyer n'est sans risque qu'avec la même Idempotency-Key.",
        fields=("event_id",),
    ),
    errors.AnswerTimeout: Answer(
        500,
        "Délai de réponse dépassé : l'événement est enregistré et son traitement continue.",
        fields=("event_id",),
    ),
    errors.AnswerDelayed: Answer(
        500,
        "Le moteur est momentanément indisponible : l'événement est enregistré et sera traité. "
        "Ne le renvoyez pas.",
        fields=("event_id",),
    ),
    errors.InternalError: Answer(500, _INTERNAL),
    errors.ExportsBusy: Answer(503, "Trop d'exports en cours. Réessayez dans quelques instants."),
    errors.ServerBusy: Answer(503, "Trop de connexions. Réessayez dans quelques instants."),
}


def error_response(
    error: errors.DomainError, request_id: str, request: Request | None = None
) -> Response:
    """The JSON answer for an error; one that the table does not know is an internal error.

    Without a `request` it failed before there was one: what came could not be read as HTTP.
    """
    answer = ANSWERS.get(type(error))
    if answer is None:
        _log.error("error without an answer", code=error.code)
        return error_response(errors.InternalError(), request_id, request)
    links = _links(request.app.state.dashboard_url) if request else {}
    facts = {**error.facts, **links}
    surface = surface_of(request.scope["path"]) if request else Surface.OTHER
    body: dict[str, str | int] = {
        "error": answer.text_on(surface).format_map(facts),
        "code": error.code,
        "request_id": request_id,
        **{name: facts[name] for name in answer.fields},
    }
    response = json_response(body, status=answer.status)
    response.headers.update(_HEADERS.get(answer.status, {}))
    if error.retry_after_s is not None:
        response.headers["retry-after"] = str(max(1, math.ceil(error.retry_after_s)))
    return response


def _links(dashboard_url: str) -> dict[str, str]:
    """Where a caller who has used up the quota can go."""
    return {
        "upgrade_url": f"{dashboard_url}/billing/plan",
        "credits_url": f"{dashboard_url}/billing/credits",
    }
