"""widget: the chat widget on a client's website."""

import secrets
from datetime import timedelta
from typing import Annotated

import typer

from adapters.system import utc_now
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    environment_of,
    reading_client,
    sealer_of,
    work_on,
)
from commands.core.person import operator
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.widget.allowed_origins import check_origins
from domain.widget.signed_user import SECRET_BYTES
from domain.widget.widget import (
    MAX_OVERLAP_HOURS,
    MAX_SHARE,
    OVERLAP_HOURS,
    WidgetChange,
    summary_of,
)
from services.widget.widget_settings import change_widget, rotate_widget_secret
from settings import load_server
from store.tenants.client_settings import SettingsRepository
from store.widget.widgets import WidgetRepository

app = typer.Typer(help="Manage the chat widget on a client's website.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """The widget key is one of the client's settings. To rotate it, use `settings
    rotate-widget-key`."""


@command(app, "show")
async def show(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's widget settings, and the script tag to add to the client's website."""
    async with reading_client(data, client) as (connection, tenant):
        found = await WidgetRepository(connection, tenant).read()
        settings = await SettingsRepository(connection, tenant).read()
    origin = load_server(environment_of(data)).origin
    summary = summary_of(found, settings.widget_key, origin=origin, now=utc_now())
    fields = summary.model_dump(mode="json")
    if as_json:
        answer(True, "", **fields)
        return
    fields["allowed_origins"] = ", ".join(summary.allowed_origins)
    answer(
        False,
        "Widget settings of this client:",
        **{name: "-" if value in (None, "") else value for name, value in fields.items()},
    )


@command(app, "change")
async def change(
    client: ClientOption,
    allowed_origin: Annotated[
        list[str] | None,
        typer.Option(
            help="Origin that may show the widget, such as https://shop.example. Repeatable. "
            "Replaces the current list; empty for none."
        ),
    ] = None,
    hourly_messages: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MAX_SHARE,
            help="Maximum widget messages per hour; 0 for half the client's limit.",
        ),
    ] = None,
    monthly_tickets: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MAX_SHARE,
            help="Maximum widget tickets per month; 0 for half the plan's quota.",
        ),
    ] = None,
    accepts_api_keys: Annotated[
        bool | None,
        typer.Option(
            "--api-keys/--no-api-keys",
            help="Accept API keys in addition to the widget key on the widget's routes.",
        ),
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Change the given settings of the widget."""
    origins = None if allowed_origin is None else check_origins(list(filter(None, allowed_origin)))
    given = {
        "allowed_origins": origins,
        "hourly_messages": hourly_messages,
        "monthly_tickets": monthly_tickets,
        "accepts_api_keys": accepts_api_keys,
    }
    wanted = WidgetChange.model_validate(
        {
            name: None if name in ("hourly_messages", "monthly_tickets") and not value else value
            for name, value in given.items()
            if value is not None
        }
    )
    if not wanted.given:
        raise InvalidInput("nothing to change: see widget change --help")
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        changed = await change_widget(work, operator(), wanted)
    answer(
        as_json,
        "Changed.",
        allowed_origins=list(changed.allowed_origins),
        hourly_messages=changed.hourly_messages,
        monthly_tickets=changed.monthly_tickets,
        accepts_api_keys=changed.accepts_api_keys,
    )


@command(app, "rotate-secret")
async def rotate_secret(
    client: ClientOption,
    overlap_hours: Annotated[
        float,
        typer.Option(
            min=0,
            max=MAX_OVERLAP_HOURS,
            help="Hours for which signatures with the previous secret remain valid.",
        ),
    ] = OVERLAP_HOURS,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Rotate the secret that the site uses to sign its users' identities, or create the first
    secret. The secret is shown only once."""
    sealer = sealer_of(data)
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        made = await rotate_widget_secret(
            work,
            operator(),
            overlap=timedelta(hours=overlap_hours),
            sealer=sealer,
            random_bytes=secrets.token_bytes(SECRET_BYTES),
        )
    until = made.widget.previous_secret_until
    answer(
        as_json,
        "Widget secret rotated. Store the new secret now: it is shown only once.",
        secret=made.secret,
        previous_secret_until=until,
    )
