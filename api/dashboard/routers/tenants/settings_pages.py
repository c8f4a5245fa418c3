"""/app/settings: instructions for the language model, branding, and words that send every message
containing them to human review."""

from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.page import AnyonesPage
from api.dashboard.post import ManagersPost, version_of
from api.dashboard.routers.tenants.business_hours_pages import (
    BUSINESS_HOURS_FORM,
    hours_fields,
)
from api.schemas.tenants.settings import BrandingBody, SettingsBody
from domain.tenants.actor import MANAGERS
from domain.tenants.business_hours import Weekday
from domain.tenants.client_settings import ACKNOWLEDGED_IN, ClientSettings
from domain.tenants.disclosure import DEFAULT_DISCLOSURE, DisclosureStatus
from domain.tenants.frame_settings import DEFAULT_FRAME, FRAME_LENGTHS, frame_fields
from services.dashboard.forms import standing_in
from services.tenants.business_hours import read_business_hours
from services.tenants.client_settings import change_settings
from store.tenants.accounts import AccountRepository
from store.tenants.client_settings import SettingsRepository

_SETTINGS: Final = "/app/settings"

router = APIRouter(include_in_schema=False)


@router.get(_SETTINGS)
async def settings(page: AnyonesPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await SettingsRepository(connection, page.tenant).read()
        hours = await read_business_hours(connection, page.tenant, page.actor)
    looks = found.branding
    fields = {
        "system_prompt": found.system_prompt or "",
        "display_name": looks.display_name or "",
        "logo_url": looks.logo_url or "",
        "color": looks.color or "",
        "sensitive_words": "\n".join(found.sensitive_words),
        "authserv_ids": "\n".join(found.authserv_ids),
        **{f"disclosure_{one}": found.disclosure.get(one, "") for one in DEFAULT_DISCLOSURE},
        "disclosure_status": found.disclosure_status,
        "ask_rating": "on" if found.ask_rating else "",
        "holds_loosening": "on" if found.holds_loosening else "",
        **{f"ack_{one}": found.acknowledgement.get(one, "") for one in ACKNOWLEDGED_IN},
        **{_field(place): text for place, text in frame_fields(found.frame).items()},
    }
    return page.render(
        "tenants/settings.html",
        typed=await page.typed(_SETTINGS, fields),
        form=_SETTINGS,
        usual_disclosure=DEFAULT_DISCLOSURE,
        disclosure_statuses=[*DisclosureStatus],
        seen=_seen(found),
        theirs=fields,
        may_change=page.may(MANAGERS),
        weekdays=[day.value for day in Weekday],
        hours_form=BUSINESS_HOURS_FORM,
        hours=await page.typed(BUSINESS_HOURS_FORM, hours_fields(hours)),
        hours_seen=version_of(hours),
        hours_there=hours_fields(hours),
    )


@router.post(_SETTINGS)
async def change(post: ManagersPost) -> Response:
    looks = ("display_name", "logo_url", "color")
    body = post.body(
        SettingsBody,
        system_prompt=post.text("system_prompt"),
        branding=BrandingBody(**{name: post.text(name).strip() or None for name in looks}),
        sensitive_words=[line for line in post.text("sensitive_words").split("\n") if line.strip()],
        authserv_ids=post.text("authserv_ids").split(),
        acknowledgement={one: post.text(f"ack_{one}") for one in ACKNOWLEDGED_IN},
        frame={
            one: {name: post.text(_field(f"{one}.{name}")) for name in FRAME_LENGTHS}
            for one in DEFAULT_FRAME
        },
        disclosure={one: post.text(f"disclosure_{one}") for one in DEFAULT_DISCLOSURE},
        disclosure_status=post.text("disclosure_status") or None,
        ask_rating=post.ticked("ask_rating"),
        holds_loosening=post.ticked("holds_loosening"),
    )
    wanted = body.change
    async with post.working(_SETTINGS) as work:
        await AccountRepository(standing_in(work), work.tenant).lock()
        there = await SettingsRepository(standing_in(work), work.tenant).read()
        post.check_seen(_seen(there))
        await change_settings(work, post.page.actor, wanted)
    return post.done(_SETTINGS, "settings.saved")


def _field(place: str) -> str:
    """Return the name of the form field for a greeting or sign-off text."""
    return f"frame_{place.replace('.', '_')}"


def _seen(settings: ClientSettings) -> str:
    """Return the version of the settings that the form shows."""
    other: dict[str, object] = {"widget_key": None, "retention": {}, "updated_at": None}
    return version_of(settings.model_copy(update=other))
