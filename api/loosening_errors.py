"""Error responses of second approvals and of changes that loosen a protection; part of the table in
`api/errors.py`."""

from typing import Final

from api.error_answer import ErrorAnswer
from domain.core.errors import DomainError
from domain.reviews.errors import OwnRequest, SecondPersonRequired
from domain.tenants.errors import (
    LooseningChanged,
    LooseningDecided,
    LooseningHeld,
    LooseningNotFound,
    SecondPersonUnfit,
    TooManyLoosenings,
)

LOOSENING_ANSWERS: Final[dict[type[DomainError], ErrorAnswer]] = {
    SecondPersonRequired: ErrorAnswer(
        409, "Vous avez déjà approuvé : une deuxième personne doit le faire."
    ),
    OwnRequest: ErrorAnswer(
        403,
        "Vous avez saisi cette demande, ou une clé à vous l'a envoyée : une autre personne doit "
        "l'approuver.",
    ),
    SecondPersonUnfit: ErrorAnswer(
        403,
        "Deux membres doivent être d'accord, chacun avec sa propre adresse vérifiée et membre "
        "depuis au moins 24 heures.",
        fields=("why",),
    ),
    LooseningHeld: ErrorAnswer(
        409,
        "Cette modification permet davantage à l'agent : elle attend l'accord d'un autre "
        "propriétaire ou administrateur, ou un jour.",
        fields=("loosening_id", "takes_effect_at"),
    ),
    LooseningNotFound: ErrorAnswer(404, "Modification introuvable."),
    LooseningDecided: ErrorAnswer(409, "Cette modification a déjà été décidée."),
    LooseningChanged: ErrorAnswer(
        409,
        "Les règles ont changé depuis : cette modification assouplirait davantage que ce qu'elle "
        "indique. Annulez-la et redemandez-la.",
    ),
    TooManyLoosenings: ErrorAnswer(
        409, "{limit} modifications attendent déjà : approuvez-en ou annulez-en une d'abord."
    ),
}
