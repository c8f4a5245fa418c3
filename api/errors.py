"""The one table of errors: which status and text a caller gets for which error.

The specification's texts stand to the letter, French and with their spelling.
"""

from dataclasses import dataclass
from typing import Final

import structlog
from starlette.responses import Response

from api.json_body import json_response
from domain import errors

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a caller is told. `{reason}` is replaced by the error's own reason, if it has one."""

    status: int
    text: str


ANSWERS: Final[dict[type[errors.DomainError], Answer]] = {
    errors.Unauthenticated: Answer(401, "Non autorise."),
    errors.InvalidRequest: Answer(400, "Requête HTTP invalide."),
    errors.InvalidBody: Answer(400, "Corps de requête invalide : {reason}"),
    errors.ClientIdMissing: Answer(400, "client_id requis"),
    errors.InvalidIdempotencyKey: Answer(
        400, "Idempotency-Key invalide : 1 à 255 caractères ASCII visibles attendus."
    ),
    errors.AccessDenied: Answer(403, "Acces refuse."),
    errors.ClientNotFound: Answer(404, "Client non trouve"),
    errors.RouteNotFound: Answer(404, "Route introuvable"),
    errors.MethodNotAllowed: Answer(405, "Méthode non autorisée"),
    errors.BodyTooSlow: Answer(408, "Corps de requête trop lent : 10 s au plus."),
    errors.RunInProgress: Answer(
        409, "Une requête avec cette Idempotency-Key est en cours de traitement."
    ),
    errors.BodyTooLarge: Answer(413, "Corps de requête trop volumineux : 1 Mio au plus."),
    errors.UnsupportedMediaType: Answer(
        415, "Content-Type application/json attendu, en UTF-8 et sans Content-Encoding."
    ),
    errors.IdempotencyKeyReused: Answer(
        422, "Idempotency-Key déjà utilisée avec un autre corps de requête."
    ),
    errors.HeadTooLarge: Answer(431, "En-têtes trop volumineux : 64 Kio et 100 en-têtes au plus."),
    errors.EngineUnavailable: Answer(
        500, "Le moteur est momentanément indisponible. Réessayez dans quelques instants."
    ),
    errors.AnswerTimeout: Answer(
        500, "Délai de réponse dépassé : l'événement est enregistré et son traitement continue."
    ),
    errors.AnswerDelayed: Answer(
        500,
        "Le moteur est momentanément indisponible : l'événement est enregistré et sera traité. "
        "Ne le renvoyez pas.",
    ),
    errors.InternalError: Answer(500, "Erreur interne."),
    errors.ServerBusy: Answer(503, "Trop de connexions. Réessayez dans quelques instants."),
}


def error_response(error: errors.DomainError, request_id: str) -> Response:
    """The JSON answer for an error; one that the table does not know is an internal error."""
    answer = ANSWERS.get(type(error))
    if answer is None:
        _log.error("error without an answer", code=error.code)
        return error_response(errors.InternalError(), request_id)
    reason = error.reason if isinstance(error, errors.InvalidBody) else ""
    text = answer.text.format(reason=reason) if reason else answer.text
    body = {"error": text, "code": error.code, "request_id": request_id}
    if isinstance(error, errors.EventKept):
        body["event_id"] = error.event_id
    return json_response(body, status=answer.status)
