"""`cli.py serve` without the limits of the dashboard and of exports, for one user who asks more
often than people do."""

import dataclasses
from collections.abc import Mapping

import cli
from api.http import rate_limiter
from domain.intake.rate_limit import Limit, LimitScope, limits


def _patient(*, dry_runs: int) -> Mapping[LimitScope, Limit]:
    table = dict(limits(dry_runs=dry_runs))
    for scope in (LimitScope.DASHBOARD, LimitScope.EXPORT):
        table[scope] = dataclasses.replace(table[scope], quota=100_000)
    return table


if __name__ == "__main__":
    object.__setattr__(rate_limiter, "limits", _patient)
    cli.main()
