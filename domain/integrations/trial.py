"""A trial of a connection: whether what is at its other end answers, and takes our credentials."""

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
    """Why the agent could not use a connection now: the codes that its calls would fail with."""

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
"""Each problem as people read it."""


class TriedIntegration(IntegrationEntry):
    """A connection that was just made. `problem`: what its trial found; null where all is well."""

    problem: Problem | None
