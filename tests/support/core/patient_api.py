"""`cli.py serve` without the limits of the dashboard, the simulator, the copilot and exports, for
one user with many requests, and without access to merchants' systems."""

import dataclasses
from collections.abc import Mapping

import cli
from api import app
from api.http import rate_limiter
from domain.intake.rate_limit import Limit, LimitScope, limits
from tests.support.servers.nowhere import no_way_out

_PATIENT = (
    LimitScope.DASHBOARD,
    LimitScope.EXPORT,
    LimitScope.SIMULATOR,
    LimitScope.COPILOT,
)


def _patient(*, dry_runs: int) -> Mapping[LimitScope, Limit]:
    table = dict(limits(dry_runs=dry_runs))
    for scope in _PATIENT:
        table[scope] = dataclasses.replace(table[scope], quota=100_000)
    return table


if __name__ == "__main__":
    object.__setattr__(rate_limiter, "limits", _patient)
    object.__setattr__(app, "open_client", no_way_out)
    cli.main()
