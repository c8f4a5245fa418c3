"""Error responses of simulations and replays, part of the table in `api/errors.py`."""

from typing import Final

from api.error_answer import ErrorAnswer
from domain.core.errors import DomainError
from domain.simulation.errors import InvalidReplay, ReplayNotFound, ReplayUnderWay

SIMULATION_ANSWERS: Final[dict[type[DomainError], ErrorAnswer]] = {
    ReplayNotFound: ErrorAnswer(404, "Rejeu introuvable."),
    ReplayUnderWay: ErrorAnswer(409, "Un rejeu est déjà en cours. Attendez sa fin ou arrêtez-le."),
    InvalidReplay: ErrorAnswer(400, "Rejeu invalide : {reason}"),
}
