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
"""Length, in characters, above which an encrypted dry run or simulation counts as large, several
times a real message's. Large requests have a separate limit because Temporal keeps their data for
up to a day."""


class LimitScope(StrEnum):
    """The kind of request that is limited. Each caller has a separate window for each scope."""

    USAGE = "usage"
    EXPORT = "export"
    COPILOT = "copilot"
    SIMULATOR = "simulator"
    DRY_RUN = "dry_run"
    LARGE_DRY_RUN = "large_dry_run"
    SIGNUP = "signup"
    SIGNUP_ANYWHERE = "signup_anywhere"
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
    UNSUBSCRIBE = "unsubscribe"
    INBOUND = "inbound"
    INBOUND_REFUSED = "inbound_refused"
    INBOUND_APP = "inbound_app"


@dataclass(frozen=True, slots=True)
class Limit:
    """A rate limit: at most `quota` requests in any period of length `window`."""

    scope: LimitScope
    quota: int
    window: timedelta = _WINDOW


def limits(*, dry_runs: int) -> Mapping[LimitScope, Limit]:
    """Return the limit for each scope. `dry_runs`: dry runs per minute, set by the operator.

    Requests are counted per caller:

    - signup, verification, links in emails and OAuth clients: per IP address
    - all sign-in codes of the installation together: SIGNUP_ANYWHERE
    - MCP and dry runs: per client
    - simulations: per user, and also counted as dry runs of the client
    - widget requests: per IP address within a client, or per session for WIDGET_SESSION; all scopes
      except WIDGET have longer windows
    - codes for visitors: per IP address across all clients
    - inbound webhooks: per endpoint; rejected requests per IP address and endpoint; accepted
      requests at the installation's URLs per IP address
    - all other requests: per user or key
    """
    quotas = {
        LimitScope.USAGE: 60,
        LimitScope.EXPORT: 5,
        LimitScope.COPILOT: 30,
        LimitScope.SIMULATOR: 20,
        LimitScope.DRY_RUN: dry_runs,
        LimitScope.SIGNUP: 5,
        LimitScope.SIGNUP_ANYWHERE: 300,
        LimitScope.VERIFICATION: 5,
        LimitScope.DASHBOARD: 120,
        LimitScope.PAGES: 240,
        LimitScope.MCP: 240,
        LimitScope.REGISTRATION: 10,
        LimitScope.AUTHORIZATION: 60,
        LimitScope.EXCHANGE: 60,
        LimitScope.WIDGET: 600,
        LimitScope.RATING: 60,
        LimitScope.UNSUBSCRIBE: 60,
        LimitScope.INBOUND: 1200,
        LimitScope.INBOUND_REFUSED: 60,
        # Shopify and Stripe send for all of the installation's clients from a few addresses.
        LimitScope.INBOUND_APP: 6000,
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
    """The decision on one request. Rejected requests are not counted. A rejected caller can retry
    after `wait_s` seconds."""

    limit: Limit
    admitted: bool
    remaining: int
    wait_s: float


def live(limit: Limit, hits: Iterable[datetime], now: datetime) -> list[datetime]:
    """Return the admitted request times that still count toward the limit, oldest first.

    A request counts until its age equals the window. Future times count because clocks differ
    between machines.
    """
    begin = now - limit.window
    return sorted(hit for hit in hits if hit > begin)


def judged(
    limit: Limit, counted: list[datetime], now: datetime, *, admitted: bool
) -> LimitDecision:
    """Return the decision on a request. `counted` are the request times that count toward the
    limit, including this request if it was admitted."""
    # The count exceeds the quota only if the limit was lowered. In that case, several requests must
    # expire before the next is admitted.
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
    """Decide on one request. Return the times that count afterwards, and the decision. `hits` are
    the earlier admitted requests."""
    counted = live(limit, hits, now)
    admitted = len(counted) < limit.quota
    if admitted:
        counted = sorted([*counted, now])
    return counted, judged(limit, counted, now, admitted=admitted)
