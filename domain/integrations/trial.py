"""The trial of a connection: whether the external system answers and accepts our credentials."""

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
    """Why the agent cannot use a connection now. The values are the error codes that its calls
    would raise."""

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
"""The description of each problem for people."""


class TriedIntegration(IntegrationEntry):
    """A new connection. `problem`: the problem found by its trial, or null if the connection
    works."""

    problem: Problem | None
