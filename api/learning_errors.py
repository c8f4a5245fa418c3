"""Error responses of corrections, labelled examples and ratings, part of the table in
`api/errors.py`."""

from typing import Final

from api.error_answer import ErrorAnswer
from domain.core.errors import DomainError
from domain.learning.errors import (
    CorrectionDecided,
    CorrectionNotFound,
    ExampleNotFound,
    TooManyExamples,
)
from domain.ratings.errors import RatedAnswerNotFound, RatingLinkExpired, RatingLinkUnknown

LEARNING_ANSWERS: Final[dict[type[DomainError], ErrorAnswer]] = {
    CorrectionNotFound: ErrorAnswer(404, "Correction introuvable."),
    CorrectionDecided: ErrorAnswer(409, "Quelqu'un a déjà décidé de cette correction."),
    ExampleNotFound: ErrorAnswer(404, "Exemple introuvable."),
    TooManyExamples: ErrorAnswer(409, "{limit} exemples au plus : supprimez-en."),
    RatingLinkUnknown: ErrorAnswer(404, "Ce lien n'est pas valable."),
    RatingLinkExpired: ErrorAnswer(410, "Ce lien a expiré."),
    RatedAnswerNotFound: ErrorAnswer(404, "Réponse introuvable dans cette conversation."),
}
