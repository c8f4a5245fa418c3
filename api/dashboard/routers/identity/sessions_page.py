"""/app/sessions: a page that lists a user's sessions and can end them."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.dashboard.forms import read_form
from api.dashboard.session import SIGN_IN, check_form, sign_in_first, take_cookie, visit_of
from api.http.client_address import client_network
from api.resources import ResourcesDep
from domain.core.ids import parse_ulid
from domain.identity.errors import SessionNotFound
from services.identity.sessions import end_session, end_sessions
from store.identity.sessions import SessionRepository

SESSIONS: Final = "/app/sessions"

router = APIRouter(include_in_schema=False)


@router.get(SESSIONS)
async def sessions(request: Request, resources: ResourcesDep) -> Response:
    visit = await visit_of(request)
    if visit is None:
        return sign_in_first(request)
    async with resources.database.reading_across() as connection:
        living = await SessionRepository(connection).of_user(visit.user.id, resources.now())
    return resources.pages.render(
        request, "identity/sessions.html", sessions=living, here=visit.session.id, csrf=visit.csrf
    )


@router.post(SESSIONS)
async def end(request: Request, resources: ResourcesDep) -> Response:
    """End the session that the form specifies, or all sessions if it specifies none."""
    visit = await visit_of(request)
    if visit is None:
        return sign_in_first(request)
    form = await read_form(request)
    await check_form(request, visit, form)
    named = form.get("session_id")
    session_id = None if named is None else parse_ulid(named)
    if named is not None and session_id is None:
        raise SessionNotFound
    async with resources.work.everywhere() as work:
        if session_id is None:
            await end_sessions(work, visit.user.id, network=client_network(request))
        else:
            await end_session(work, visit.user.id, session_id, network=client_network(request))
    is_out = session_id in (None, visit.session.id)
    answer = RedirectResponse(SIGN_IN if is_out else SESSIONS, status_code=303)
    if is_out:
        take_cookie(request, answer)
    return answer
