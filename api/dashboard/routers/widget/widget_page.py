"""/app/widget: the chat widget's allowed sites, rate limits, script tag, key and secret."""

import json
import secrets
from datetime import timedelta
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, Page
from api.dashboard.post import ManagersPost, Post, version_of
from api.schemas.widget.widget_settings import OverlapBody, WidgetBody
from domain.tenants.actor import MANAGERS
from domain.tenants.client_settings import WIDGET_KEY_BYTES, ClientSettings
from domain.tenants.disclosure import disclosures
from domain.widget.looks import looks
from domain.widget.signed_user import SECRET_BYTES
from domain.widget.widget import WidgetChange, WidgetSummary, summary_of
from services.dashboard.forms import standing_in
from services.widget.widget_settings import (
    change_widget,
    rotate_widget_key,
    rotate_widget_secret,
    widget_and_key,
)
from store.tenants.accounts import AccountRepository
from store.tenants.client_settings import SettingsRepository
from store.widget.widgets import WidgetRepository

_WIDGET: Final = "/app/widget"
_AUTHORS: Final = ("customer", "agent", "human")
_SHARES: Final = ("hourly_messages", "monthly_tickets")

router = APIRouter(include_in_schema=False)


@router.get(_WIDGET)
async def widget(page: AnyonesPage) -> Response:
    return await _shown(page, None)


@router.post(_WIDGET)
async def change(post: ManagersPost) -> Response:
    page = post.page
    shares = {name: post.text(name).strip() for name in _SHARES}
    body = post.body(
        WidgetBody,
        allowed_origins=post.text("allowed_origins").split(),
        accepts_api_keys=post.ticked("accepts_api_keys"),
        **{
            name: int(n) if n.isdecimal() and len(n) < 10 else (n or None)
            for name, n in shares.items()
        },
    )
    wanted = body.change
    async with post.working(_WIDGET) as work:
        await AccountRepository(standing_in(work), work.tenant).lock()
        there, key = await widget_and_key(work)
        origin = page.resources.settings.server.origin
        post.check_seen(_seen(summary_of(there, key, origin=origin, now=page.now)))
        await change_widget(work, page.actor, wanted)
    return await post.step_done(_WIDGET, "widget.saved")


@router.post(f"{_WIDGET}/key")
async def rotate_key(post: ManagersPost) -> Response:
    overlap = _overlap(post)
    async with post.working(_WIDGET) as work:
        await rotate_widget_key(
            work,
            post.page.actor,
            overlap=overlap,
            random_bytes=secrets.token_bytes(WIDGET_KEY_BYTES),
        )
    return post.done(_WIDGET, "widget.key_made")


@router.post(f"{_WIDGET}/secret")
async def rotate_secret(post: ManagersPost) -> Response:
    """Rotate the widget's secret. Only the resulting page shows the new secret."""
    overlap = _overlap(post)
    async with post.working() as work:
        made = await rotate_widget_secret(
            work,
            post.page.actor,
            overlap=overlap,
            sealer=post.page.resources.sealer,
            random_bytes=secrets.token_bytes(SECRET_BYTES),
        )
    return await _shown(post.page, made.secret)


def _share(text: str) -> int | str | None:
    """Convert a limit from the form to a number, or return the text unchanged, for the body's model
    to reject."""
    return int(text) if text.isdecimal() and len(text) < 10 else text or None


def _overlap(post: Post) -> timedelta:
    hours = 0 if post.ticked("at_once") else OverlapBody().overlap_hours
    return timedelta(hours=hours)


async def _shown(page: Page, secret: str | None) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await WidgetRepository(connection, page.tenant).read()
        settings = await SettingsRepository(connection, page.tenant).read()
    origin = page.resources.settings.server.origin
    summary = summary_of(found, settings.widget_key, origin=origin, now=page.now)
    fields = {
        "allowed_origins": "\n".join(summary.allowed_origins),
        "hourly_messages": str(summary.hourly_messages or ""),
        "monthly_tickets": str(summary.monthly_tickets or ""),
        "accepts_api_keys": "on" if summary.accepts_api_keys else "",
    }
    return page.render(
        "widget/widget.html",
        widget=summary,
        secret=secret,
        has_logo=settings.branding.logo_url is not None,
        preview=_preview(page, settings),
        typed=await page.typed(_WIDGET, fields),
        form=_WIDGET,
        seen=_seen(summary),
        theirs=fields,
        may_change=page.may(MANAGERS),
    )


def _preview(page: Page, settings: ClientSettings) -> str:
    """Return the configuration of the widget's preview, as JSON: its appearance and an example
    conversation. The configuration omits the logo because pages load nothing from other hosts."""
    shown = looks(settings.branding, page.brand_name)
    example = [(author, page.say(f"widget.example_{author}")) for author in _AUTHORS]
    return json.dumps(
        {
            "display_name": shown.display_name,
            "color": shown.color,
            "on_color": shown.on_color,
            "disclosure": disclosures(settings.disclosure_status, settings.disclosure),
            "messages": example,
        }
    )


def _seen(summary: WidgetSummary) -> str:
    """Return the version of the settings that the form shows."""
    fields = WidgetChange.model_fields
    return version_of(WidgetChange(**{name: getattr(summary, name) for name in fields}))
