"""Errors on pages for people: the same status, said in their language."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from api.http.request_context import answer_domain_error, answer_http_error
from api.resources import Resources
from domain.core.errors import DomainError

_PAGES: Final = ("/app", "/authorize")
_KEPT: Final = ("retry-after", "allow")


def is_page(request: Request) -> bool:
    """Whether people look at what this request gets."""
    path = request.url.path
    return path in _PAGES or (path.startswith("/app/") and not path.startswith("/app/static/"))


async def page_domain_error(request: Request, error: Exception) -> Response:
    """As `answer_domain_error`, which logs and counts it; as a page where that is looked at."""
    reason = error.code if isinstance(error, DomainError) else ""
    return _shown(request, await answer_domain_error(request, error), reason)


async def page_http_error(request: Request, error: Exception) -> Response:
    return _shown(request, await answer_http_error(request, error))


def _shown(request: Request, answer: Response, reason: str = "") -> Response:
    if not is_page(request):
        return answer
    resources: Resources = request.app.state.resources
    page = resources.pages.render(
        request,
        "error.html",
        status=answer.status_code,
        code=str(answer.status_code),
        reason=reason,
        request_id=request.state.request_id,
        retry_after=answer.headers.get("retry-after", ""),
    )
    for name in _KEPT:
        if name in answer.headers:
            page.headers[name] = answer.headers[name]
    return page
