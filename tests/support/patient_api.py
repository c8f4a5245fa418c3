"""`cli.py serve` without the dashboard's limit, for one user who asks more often than people do."""

import dataclasses
from collections.abc import Mapping

import api.rate_limiter
import cli
from domain.rate_limit import Limit, Scope, limits


def _patient(*, dry_runs: int) -> Mapping[Scope, Limit]:
    table = dict(limits(dry_runs=dry_runs))
    table[Scope.DASHBOARD] = dataclasses.replace(table[Scope.DASHBOARD], quota=100_000)
    return table


if __name__ == "__main__":
    object.__setattr__(api.rate_limiter, "limits", _patient)
    cli.main()
