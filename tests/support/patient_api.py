"""`cli.py serve` without the limits of the dashboard and of exports, for one user who asks more
often than people do."""

import dataclasses
from collections.abc import Mapping

import api.rate_limiter
import cli
from domain.rate_limit import Limit, Scope, limits


def _patient(*, dry_runs: int) -> Mapping[Scope, Limit]:
    table = dict(limits(dry_runs=dry_runs))
    for scope in (Scope.DASHBOARD, Scope.EXPORT):
        table[scope] = dataclasses.replace(table[scope], quota=100_000)
    return table


if __name__ == "__main__":
    object.__setattr__(api.rate_limiter, "limits", _patient)
    cli.main()
