"""Error pages in the user's language. They preserve the input of a submitted form."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from api.dashboard.flash import Flash, give_flash
from api.dashboard.page import page_at_error
from api.dashboard.post import Post
from api.dashboard.typed import SECRET, kept_fields
from api.http.request_context import answer_domain_error, answer_http_error
from api.resources import Resources
from domain.core.errors import DomainError, InvalidInput
from domain.dashboard.errors import AlreadyPosted
from domain.tenants.errors import LooseningHeld
from services.dashboard.forms import keep_draft

_TEMPLATE: Final = "core/error.html"
_PAGES: Final = ("/app", "/authorize")
_PASSING: Final = frozenset({404, 408, 409, 429})
"""Statuses below 500 of pages that may open at the next attempt."""

_KEPT: Final = ("retry-after", "allow")
# Maximum length of the reason in each language, in characters. The reason is sent in a cookie, and
# browsers drop cookies larger than 4 KB.
_MOST_REASON: Final = 400
# Matches the part of an InvalidBody message that identifies the invalid field.
_FIELD: Final = re.compile(r"champ « ([^«»]+) »")


@dataclass(frozen=True, slots=True)
class _ErrorFacts:
    """The data for an error page. `again` is the form to submit again, or None. `reload` is the
    path that "Try again" opens, or empty."""

    status: str
    code: str
    request_id: str
    retry_after: str
    again: Mapping[str, object] | None
    reload: str


def is_page(request: Request) -> bool:
    """Return True if the request's errors are shown as a page."""
    path = request.url.path
    return path in _PAGES or (path.startswith("/app/") and not path.startswith("/app/static/"))


async def page_domain_error(request: Request, error: Exception) -> Response:
    """Log and count a domain error, as `answer_domain_error` does. Return an HTML page if the
    client expects one. For an invalid form, redirect back to the form, which shows the submitted
    values and the reason."""
    if not isinstance(error, DomainError):
        return await _shown(request, await answer_domain_error(request, error))
    post: Post | None = getattr(request.state, "post", None)
    if post is not None and isinstance(error, AlreadyPosted) and error.location is not None:
        return RedirectResponse(error.location, status_code=303)
    if post is not None and isinstance(error, LooseningHeld):
        return post.done("/app/loosenings", "loosenings.held")
    answer = await answer_domain_error(request, error)
    if post is None or answer.status_code >= 500:
        return await _shown(request, answer, error, post)
    return await _back_to_the_form(request, error, post)


async def page_http_error(request: Request, error: Exception) -> Response:
    """Return the error page for an HTTP error, such as an unknown URL."""
    return await _shown(request, await answer_http_error(request, error))


async def _back_to_the_form(request: Request, error: DomainError, post: Post) -> Response:
    # An already submitted form must not be stored as a draft.
    if not isinstance(error, AlreadyPosted) and (fields := kept_fields(post.fields)):
        page = post.page
        async with page.resources.work.of(page.tenant) as work:
            await keep_draft(work, page.visit.user.id, post.form, fields)
    back = RedirectResponse(post.back, status_code=303, headers={"Cache-Control": "no-store"})
    give_flash(request, back, Flash(kind="problem", key=error.code, reason=_reason(error)))
    return back


def _reason(error: DomainError) -> dict[str, str]:
    """Return a description of the violated rule, by language."""
    problems = error.facts.get("problems")
    if isinstance(
        problems, tuple
    ):  # Each problem begins with its position, as in `cases[0].tries: …`.
        return dict.fromkeys(("fr", "en"), "\n".join(map(str, problems))[:_MOST_REASON])
    reason = error.facts.get("reason")
    french = str(reason) if reason is not None else ""
    english = str(error) if isinstance(error, InvalidInput) else _FIELD.sub(r"field “\1”", french)
    return {"fr": french[:_MOST_REASON], "en": english[:_MOST_REASON]}


async def _shown(
    request: Request,
    answer: Response,
    error: DomainError | None = None,
    post: Post | None = None,
) -> Response:
    if not is_page(request):
        return answer
    status = answer.status_code
    facts = _ErrorFacts(
        status=str(status),
        code=error.code if error else "",
        request_id=request.state.request_id,
        retry_after=answer.headers.get("retry-after", ""),
        again=_again(post),
        reload=_reload(request, status),
    )
    around = await page_at_error(request, status) if request.url.path.startswith("/app") else None
    if around is not None:
        shown = around.render(_TEMPLATE, status_code=status, error=facts)
    else:
        resources: Resources = request.app.state.resources
        shown = resources.pages.render(request, _TEMPLATE, status=status, error=facts)
    for name in _KEPT:
        if name in answer.headers:
            shown.headers[name] = answer.headers[name]
    return shown


def _reload(request: Request, status: int) -> str:
    """Return the path and query of a page that may open at the next attempt, or an empty string.
    A path with two leading slashes would lead to another site."""
    url = request.url
    if request.method != "GET" or not (status in _PASSING or status >= 500):
        return ""
    path = f"/{url.path.lstrip('/')}"
    return f"{path}?{url.query}" if url.query else path


def _again(post: Post | None) -> dict[str, object] | None:
    """Return the form's path and its fields without secrets, so that the user can submit the form
    again. The form takes effect only once, even if it is submitted repeatedly."""
    if post is None:
        return None
    fields = {name: value for name, value in post.fields.items() if not name.startswith(SECRET)}
    return {"form": post.form, "fields": fields}
