"""Error responses of pages, part of the table in `api/errors.py`."""

from typing import Final

from api.error_answer import ErrorAnswer
from domain.content.errors import InvalidKnowledgeFile
from domain.core.errors import DomainError
from domain.dashboard.errors import (
    AlreadyPosted,
    ChangedMeanwhile,
    InvalidPreferences,
    NotConfirmed,
)
from domain.identity.errors import SignInLinkGone

PAGE_ANSWERS: Final[dict[type[DomainError], ErrorAnswer]] = {
    ChangedMeanwhile: ErrorAnswer(409, "Modifié entre-temps par quelqu'un d'autre."),
    AlreadyPosted: ErrorAnswer(409, "Ce formulaire a déjà été envoyé."),
    NotConfirmed: ErrorAnswer(400, "Le nom saisi n'est pas celui attendu."),
    SignInLinkGone: ErrorAnswer(410, "Ce lien a déjà servi, ou il est trop ancien."),
    InvalidPreferences: ErrorAnswer(400, "Préférences invalides : {reason}."),
    InvalidKnowledgeFile: ErrorAnswer(400, "Fichier de connaissances invalide."),
}
