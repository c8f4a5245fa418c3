"""Short-term limits: the number of requests per caller in a sliding window.

The gateway's limits are separate: they count stored messages (`services/intake/admission.py`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

_WINDOW: Final = timedelta(seconds=60)
_TEN_MINUTES: Final = timedelta(minutes=10)
_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)

LARGE_DRY_RUN: Final = 16 * 1024
"""The size from which a dry run or a simulation counts as large: several times that of a real
message. Temporal keeps each for up to a day."""


class LimitScope(StrEnum):
    """The kind of request that is limited. Each caller has a separate window for each scope."""

    USAGE = "usage"
    EXPORT = "export"
    COPILOT = "copilot"
    SIMULATOR = "simulator"
    DRY_RUN = "dry_run"
    LARGE_DRY_RUN = "large_dry_run"
    SIGNUP = "signup"
    VERIFICATION = "verification"
    DASHBOARD = "dashboard"
    PAGES = "pages"
    MCP = "mcp"
    REGISTRATION = "registration"
    AUTHORIZATION = "authorization"
    EXCHANGE = "exchange"
    WIDGET = "widget"
    WIDGET_ADDRESS = "widget_address"
    WIDGET_ADDRESS_DAY = "widget_address_day"
    WIDGET_SESSION = "widget_session"
    WIDGET_CODE = "widget_code"
    WIDGET_CODE_TRY = "widget_code_try"
    RATING = "rating"
    INBOUND = "inbound"
    INBOUND_REFUSED = "inbound_refused"


@dataclass(frozen=True, slots=True)
class Limit:
    """Allow at most `quota` requests in any period of length `window`."""

    scope: LimitScope
    quota: int
    window: timedelta = _WINDOW


def limits(*, dry_runs: int) -> Mapping[LimitScope, Limit]:
    """Return the table of limits. `dry_runs`: dry runs per minute, set by the operator.

    Signup, verification, ratings by a link and OAuth clients are counted per IP address, MCP and
    dry runs per client, all others per user or key. A simulation also counts as a dry run of its
    client. The widget's requests are counted per IP address or session within a client; all scopes
    but reading have longer windows. Codes for visitors are counted per IP address across all
    clients. Inbound webhooks are counted per endpoint, refused ones per IP address and endpoint.
    """
    quotas = {
        LimitScope.USAGE: 60,
        LimitScope.EXPORT: 5,
        LimitScope.COPILOT: 30,
        LimitScope.SIMULATOR: 20,
        LimitScope.DRY_RUN: dry_runs,
        LimitScope.SIGNUP: 5,
        LimitScope.VERIFICATION: 5,
        LimitScope.DASHBOARD: 120,
        LimitScope.PAGES: 240,
        LimitScope.MCP: 240,
        LimitScope.REGISTRATION: 10,
        LimitScope.AUTHORIZATION: 60,
        LimitScope.EXCHANGE: 60,
        LimitScope.WIDGET: 600,
        LimitScope.RATING: 60,
        LimitScope.INBOUND: 1200,
        LimitScope.INBOUND_REFUSED: 60,
    }
    visitors = {
        LimitScope.WIDGET_ADDRESS: 30,
        LimitScope.WIDGET_SESSION: 10,
        LimitScope.WIDGET_CODE_TRY: 20,
    }
    return {
        **{scope: Limit(scope, quota) for scope, quota in quotas.items()},
        **{scope: Limit(scope, quota, _TEN_MINUTES) for scope, quota in visitors.items()},
        LimitScope.LARGE_DRY_RUN: Limit(LimitScope.LARGE_DRY_RUN, 240, _DAY),
        LimitScope.WIDGET_CODE: Limit(LimitScope.WIDGET_CODE, 10, _HOUR),
        # A single visitor's IP address must not use up the widget's monthly tickets.
        LimitScope.WIDGET_ADDRESS_DAY: Limit(LimitScope.WIDGET_ADDRESS_DAY, 100, _DAY),
    }


@dataclass(frozen=True, slots=True)
class LimitDecision:
    """The outcome of one request. A refused request is not counted.

    `wait_s`: seconds until the window admits one more request. After a refusal: seconds until a
    request is admitted if no other is admitted first.
    """

    limit: Limit
    admitted: bool
    remaining: int
    wait_s: float


def live(limit: Limit, hits: Iterable[datetime], now: datetime) -> list[datetime]:
    """Return the hits that still count, oldest first.

    A hit counts until it is as old as the window. A hit from the future counts too, because another
    machine's clock may be ahead.
    """
    begin = now - limit.window
    return sorted(hit for hit in hits if hit > begin)


def judged(
    limit: Limit, counted: list[datetime], now: datetime, *, admitted: bool
) -> LimitDecision:
    """Return the decision on an attempt. `counted`: the live hits, including the attempt if
    admitted."""
    # The count exceeds the quota only if the limit was lowered; several hits then have to expire.
    next_free = counted[max(0, len(counted) - limit.quota)]
    return LimitDecision(
        limit=limit,
        admitted=admitted,
        remaining=max(0, limit.quota - len(counted)),
        wait_s=(next_free + limit.window - now).total_seconds(),
    )


def attempt(
    limit: Limit, hits: Iterable[datetime], now: datetime
) -> tuple[list[datetime], LimitDecision]:
    """Try one request on a window that holds `hits`. Return the hits that count afterwards, and the
    decision."""
    counted = live(limit, hits, now)
    admitted = len(counted) < limit.quota
    if admitted:
        counted = sorted([*counted, now])
    return counted, judged(limit, counted, now, admitted=admitted)
