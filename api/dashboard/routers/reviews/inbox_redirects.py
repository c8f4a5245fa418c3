"""Permanent redirects from the lists that the inbox replaced."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.dashboard.navigation import INBOX

router = APIRouter(include_in_schema=False)

_KEPT: Final = frozenset(
    {
        *("client_id", "reason", "classification", "sum", "order"),
        *("mood", "held", "channel", "status", "assignee", "tag"),
    }
)
_VIEWS_OF_TABS: Final = {"mine": "mine", "second": "second", "decided": "decided"}
_CLAIMS: Final = frozenset({"pending", "claimed"})


@router.get("/app/reviews")
async def reviews(request: Request) -> Response:
    """Redirect to the inbox. The old status of reviews is the claim filter."""
    query = request.query_params
    status = query.get("status", "")
    more = {"claim": status} if status in _CLAIMS else {}
    return _moved(_VIEWS_OF_TABS.get(query.get("tab", ""), ""), query, {"status": "", **more})


@router.get("/app/conversations")
async def conversations(request: Request) -> Response:
    query = request.query_params
    return _moved("unanswered" if query.get("waiting") else "all", query, {})


def _moved(view: str, query: Mapping[str, str], more: Mapping[str, str]) -> Response:
    """Return the permanent redirect. `more`: parameters that replace parameters of the query."""
    kept = {name: value for name, value in query.items() if name in _KEPT}
    found = {name: value for name, value in {"view": view, **kept, **more}.items() if value}
    to = f"{INBOX}?{urlencode(found)}" if found else INBOX
    return RedirectResponse(to, status_code=308)
