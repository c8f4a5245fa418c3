"""/app/settings/business-hours: the form for the client's business hours and its target for the
first answer."""

import re
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.page import AnyonesPage
from api.dashboard.post import ManagersPost, Post, version_of
from api.dashboard.settings_form import BUSINESS_HOURS, TABS
from domain.tenants.actor import MANAGERS
from domain.tenants.business_hours import (
    MAX_TARGET_MINUTES,
    BusinessHours,
    Weekday,
    parse_day,
    parse_holidays,
    written_day,
)
from domain.tenants.errors import InvalidSettings
from services.dashboard.forms import standing_in
from services.tenants.business_hours import read_business_hours, set_business_hours
from store.tenants.accounts import AccountRepository

_FRENCH_DAY: Final = re.compile(r"^(\d{2})/(\d{2})/(\d{4})$")

router = APIRouter(include_in_schema=False)


def _fields(hours: BusinessHours, language: str) -> dict[str, str]:
    """Return the fields of the form for these business hours, in the page's language."""
    form = "%d/%m/%Y" if language == "fr" else "%Y-%m-%d"
    return {
        "time_zone": hours.time_zone,
        **{day.value: written_day(hours.week.get(day, ())) for day in Weekday},
        "holidays": "\n".join(day.strftime(form) for day in hours.holidays),
        "target_minutes": "" if hours.target_minutes is None else str(hours.target_minutes),
    }


@router.get(BUSINESS_HOURS)
async def business_hours(page: AnyonesPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        hours = await read_business_hours(connection, page.tenant, page.actor)
    fields = _fields(hours, page.language)
    return page.render(
        "tenants/business_hours.html",
        tabs=TABS,
        here_tab="hours",
        weekdays=[day.value for day in Weekday],
        typed=await page.typed(BUSINESS_HOURS, fields),
        form=BUSINESS_HOURS,
        seen=version_of(hours),
        theirs=fields,
        may_change=page.may(MANAGERS),
    )


@router.post(BUSINESS_HOURS)
async def change(post: ManagersPost) -> Response:
    wanted = BusinessHours(
        time_zone=post.text("time_zone").strip(),
        week={day: parse_day(post.text(day.value)) for day in Weekday},
        holidays=parse_holidays(_holidays(post)),
        target_minutes=_target(post),
    )
    async with post.working(BUSINESS_HOURS) as work:
        connection = standing_in(work)
        await AccountRepository(connection, work.tenant).lock()
        there = await read_business_hours(connection, work.tenant, post.page.actor)
        post.check_seen(version_of(there))
        await set_business_hours(work, post.page.actor, wanted)
    return post.done(BUSINESS_HOURS, "settings.saved")


def _holidays(post: Post) -> list[str]:
    """Return the lines of the field. On a French page, `25/12/2026` becomes `2026-12-25`."""
    lines = [line.strip() for line in post.text("holidays").split("\n")]
    if post.page.language != "fr":
        return lines
    return [_FRENCH_DAY.sub(r"\3-\2-\1", line) for line in lines]


def _target(post: Post) -> int | None:
    """Return the target in minutes, or None for an empty field. Raises InvalidSettings."""
    given = post.text("target_minutes").strip()
    if not given:
        return None
    is_number = given.isascii() and given.isdecimal() and len(given) < 10
    if not is_number or not 0 < int(given) <= MAX_TARGET_MINUTES:
        raise InvalidSettings(
            f"target_minutes: a number from 1 to {MAX_TARGET_MINUTES}",
            f"target_minutes : un nombre de 1 à {MAX_TARGET_MINUTES}",
        )
    return int(given)
