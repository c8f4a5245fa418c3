"""/app/me: a person's preferences, and where they are signed in."""

from dataclasses import replace
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage
from api.dashboard.pages import LANGUAGES
from api.dashboard.post import Post, Posted
from domain.dashboard.errors import InvalidPreferences
from domain.dashboard.preferences import Theme, check_time_zone
from domain.tenants.actor import ANYONE
from services.dashboard.preferences import save_preferences
from store.identity.people import address_of
from store.identity.sessions import SessionRepository

_ME: Final = "/app/me"

router = APIRouter(include_in_schema=False)


@router.get(_ME)
async def me(page: AnyonesPage) -> Response:
    user_id = page.visit.user.id
    async with page.resources.database.reading_across() as connection:
        email = await address_of(connection, user_id)
        sessions = await SessionRepository(connection).of_user(user_id, page.now)
    wanted = page.preferences
    defaults = {
        "language": wanted.language or "",
        "time_zone": wanted.time_zone,
        "theme": wanted.theme.value,
    }
    return page.render(
        "dashboard/me.html",
        email=email or user_id,
        sessions=sessions,
        typed=await page.typed(_ME, defaults),
        themes=tuple(Theme),
    )


@router.post(_ME)
async def save(post: Annotated[Post, Depends(Posted(ANYONE))]) -> Response:
    """Raises InvalidPreferences."""
    page = post.page
    language, theme = post.text("language"), post.text("theme")
    if language not in ("", *LANGUAGES) or theme not in tuple(Theme):
        raise InvalidPreferences("langue ou thème inconnu")
    wanted = replace(
        page.preferences,
        client_id=page.tenant,
        language=language or None,
        time_zone=check_time_zone(post.text("time_zone").strip()),
        theme=Theme(theme),
        single_keys=post.ticked("single_keys"),
    )
    async with page.resources.work.everywhere() as work:
        await save_preferences(work, page.visit.user.id, wanted)
    await post.forget()
    return post.done(_ME, "dashboard.saved")
