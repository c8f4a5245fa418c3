"""The trial of a new connection: a check that the external system responds and accepts the
credentials."""

from enum import StrEnum
from typing import Final

from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionUnreachable,
    NotAuthorized,
)
from domain.integrations.integration import IntegrationEntry


class Problem(StrEnum):
    """The reason why the agent cannot use a connection now. Each value is the code of the error
    that the agent's calls would raise."""

    NOT_AUTHORIZED = NotAuthorized.code
    FORBIDDEN = ActionForbidden.code
    REFUSED = ActionRefused.code
    UNREACHABLE = ActionUnreachable.code


SENTENCES: Final = {
    Problem.NOT_AUTHORIZED: "the credentials are not taken",
    Problem.FORBIDDEN: (
        "it answers 403: a firewall keeps us out, or the credentials may not do what is needed"
    ),
    Problem.REFUSED: "there is no such shop or account, or it may not be called from here",
    Problem.UNREACHABLE: "it cannot be reached, or does not answer in time",
}
"""For each problem: its description for users."""


class TriedIntegration(IntegrationEntry):
    """A new connection with the result of its trial. `problem` is the problem that the trial found,
    or null if the connection works."""

    problem: Problem | None
