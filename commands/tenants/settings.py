"""settings: a client's settings, except playbooks and content."""

import secrets
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final

import typer

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    reading_client,
    work_on,
)
from commands.core.person import operator
from commands.core.texts import FILE_HELP, text_of
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.tenants.answer_decision import LATEST_DECISION
from domain.tenants.client_settings import WIDGET_KEY_BYTES, ClientSettings, SettingsAdjustment
from domain.tenants.disclosure import DisclosureStatus, disclosures
from domain.tenants.frame_settings import frame_fields
from domain.widget.widget import MAX_OVERLAP_HOURS, OVERLAP_HOURS
from services.tenants.client_settings import adjust_settings
from services.widget.widget_settings import rotate_widget_key as rotate_key
from store.tenants.client_settings import SettingsRepository

app = typer.Typer(help="Manage a client's settings.", no_args_is_help=True)

_FOR_EVER: Final = "for-ever"


@app.callback()
def group() -> None:
    """docs/dashboard.md explains each setting."""


@command(app, "show")
async def show(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's settings."""
    async with reading_client(data, client) as (connection, tenant):
        found = await SettingsRepository(connection, tenant).read()
    _show(found, "Settings of this client:", as_json)


@command(app, "set")
async def change(
    client: ClientOption,
    system_prompt: Annotated[
        str | None, typer.Option(help="Instructions for the language model; empty for none.")
    ] = None,
    system_prompt_file: Annotated[Path | None, typer.Option(help=FILE_HELP)] = None,
    tone: Annotated[
        str | None,
        typer.Option(help="Tone of the language model's answers, on one line; empty for none."),
    ] = None,
    do: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "Style rule that the language model's answers follow. Repeatable. Replaces the "
                "current list; empty for none."
            )
        ),
    ] = None,
    dont: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "What the language model's answers avoid. Repeatable. Replaces the current list; "
                "empty for none."
            )
        ),
    ] = None,
    display_name: Annotated[
        str | None,
        typer.Option(help="Sender name in emails to customers; empty for the client's name."),
    ] = None,
    logo_url: Annotated[
        str | None, typer.Option(help="URL of the logo shown in the widget; empty for none.")
    ] = None,
    color: Annotated[
        str | None, typer.Option(help="Widget color, such as #1a2b3c; empty for none.")
    ] = None,
    retention: Annotated[
        list[str] | None,
        typer.Option(
            help=f"CLASS=DAYS, or CLASS={_FOR_EVER}, or CLASS= for the default period. Repeatable. "
            "docs/dashboard.md lists the classes."
        ),
    ] = None,
    sensitive_word: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "Word or phrase that sends every message containing it to human review. "
                "Repeatable. Replaces the current list; empty for none."
            )
        ),
    ] = None,
    acknowledgement: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "LANGUAGE=TEXT: the text that a customer receives when a human agent must "
                "handle the request. LANGUAGE= restores the built-in text."
            )
        ),
    ] = None,
    frame: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "LANGUAGE.FIELD=TEXT: a greeting or sign-off. FIELD is named_greeting, greeting "
                "or sign_off. An empty TEXT restores the default. Repeatable."
            )
        ),
    ] = None,
    disclosure: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "LANGUAGE=TEXT: the AI disclosure below an answer. LANGUAGE= restores the "
                "default. Repeatable."
            )
        ),
    ] = None,
    disclosure_status: Annotated[
        DisclosureStatus | None,
        typer.Option(help="on, or the reason for switching off the AI disclosure."),
    ] = None,
    authserv_id: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "Mail server whose Authentication-Results headers are trusted. Repeatable. "
                "Replaces the current list; empty for none."
            )
        ),
    ] = None,
    ask_rating: Annotated[bool | None, typer.Option(help="Ask customers to rate answers.")] = None,
    holds_loosening: Annotated[
        bool | None,
        typer.Option(
            help=(
                "Hold changes that loosen protections until a second manager approves them or "
                "a day has passed."
            )
        ),
    ] = None,
    answers_from_knowledge: Annotated[
        bool | None,
        typer.Option(help="Send the embedded brain's answers from knowledge without review."),
    ] = None,
    answer_decision: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=LATEST_DECISION,
            help="Version of the decision whether an answer from knowledge is sent.",
        ),
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Change the given settings of a client."""
    looks = {"display_name": display_name, "logo_url": logo_url, "color": color}
    new_looks = {name: value or None for name, value in looks.items() if value is not None}
    days, usual = _retention(retention or ())
    adjustment = SettingsAdjustment(
        system_prompt=text_of(system_prompt, system_prompt_file, "--system-prompt"),
        guidance=_guidance(tone, do, dont),
        looks=new_looks,
        days=days,
        usual=usual,
        sensitive_words=tuple(filter(None, sensitive_word)) if sensitive_word else None,
        acknowledged=_by_language(acknowledgement or (), "--acknowledgement"),
        frame=_frame(frame or ()),
        disclosed=_by_language(disclosure or (), "--disclosure"),
        disclosure_status=disclosure_status,
        authserv_ids=tuple(filter(None, authserv_id)) if authserv_id else None,
        ask_rating=ask_rating,
        holds_loosening=holds_loosening,
        answers_from_knowledge=answers_from_knowledge,
        answer_decision=answer_decision,
    )
    if adjustment == SettingsAdjustment():
        raise InvalidInput("nothing to change: see settings set --help")
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        changed = await adjust_settings(work, operator(), adjustment)
    _show(changed, "Changed.", as_json)


@command(app, "rotate-widget-key")
async def rotate_widget_key(
    client: ClientOption,
    overlap_hours: Annotated[
        float,
        typer.Option(
            min=0,
            max=MAX_OVERLAP_HOURS,
            help=("Hours for which the previous widget key remains valid."),
        ),
    ] = OVERLAP_HOURS,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Rotate the widget key, or create the first one."""
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        changed = await rotate_key(
            work,
            operator(),
            overlap=timedelta(hours=overlap_hours),
            random_bytes=secrets.token_bytes(WIDGET_KEY_BYTES),
        )
    answer(as_json, "Widget key rotated.", widget_key=changed.widget_key)


def _guidance(
    tone: str | None, do: Sequence[str] | None, dont: Sequence[str] | None
) -> dict[str, str | tuple[str, ...]]:
    """Return the given fields of the guidance. An empty rule empties its list."""
    given: dict[str, str | tuple[str, ...]] = {} if tone is None else {"tone": tone}
    rules = {"do": do, "dont": dont}
    return given | {name: tuple(filter(None, those)) for name, those in rules.items() if those}


def _retention(given: Sequence[str]) -> tuple[dict[str, int | None], frozenset[str]]:
    """Return the retention periods to set, from CLASS=DAYS, and the classes to reset, from CLASS=.
    Raises InvalidInput."""
    wanted: dict[str, int | None] = {}
    usual: set[str] = set()
    for pair in given:
        name, mark, days = (part.strip() for part in pair.partition("="))
        if not mark or (days and days != _FOR_EVER and not (days.isascii() and days.isdigit())):
            raise InvalidInput(f"--retention CLASS=DAYS expected, or CLASS={_FOR_EVER}, or CLASS=")
        if days:
            wanted[name] = None if days == _FOR_EVER else int(days)
        else:
            usual.add(name)
    return wanted, frozenset(usual)


def _by_language(given: Sequence[str], option: str) -> dict[str, str]:
    """Return the texts by language, from LANGUAGE=TEXT pairs. Raises InvalidInput if a pair is
    invalid."""
    wanted: dict[str, str] = {}
    for pair in given:
        language, mark, text = pair.partition("=")
        if not mark:
            raise InvalidInput(f"{option} LANGUAGE=TEXT expected, or LANGUAGE=")
        wanted[language.strip()] = text
    return wanted


def _frame(given: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the texts by language and field, from LANGUAGE.FIELD=TEXT pairs. Raises InvalidInput
    if a pair is invalid."""
    wanted: dict[str, dict[str, str]] = {}
    for pair in given:
        place, mark, text = pair.partition("=")
        language, dot, field = place.strip().partition(".")
        if not mark or not dot:
            raise InvalidInput("--frame LANGUAGE.FIELD=TEXT expected, as in fr.greeting=Bonjour,")
        wanted.setdefault(language, {})[field] = text
    return wanted


def _show(found: ClientSettings, sentence: str, as_json: bool) -> None:
    if as_json:
        answer(True, "", **found.model_dump(mode="json"))
        return
    days = {name: _FOR_EVER if kept is None else kept for name, kept in found.retention.items()}
    answer(
        False,
        sentence,
        system_prompt=found.system_prompt or "-",
        tone=found.guidance.tone or "-",
        do="; ".join(found.guidance.do) or "-",
        dont="; ".join(found.guidance.dont) or "-",
        display_name=found.branding.display_name or "-",
        logo_url=found.branding.logo_url or "-",
        color=found.branding.color or "-",
        widget_key=found.widget_key or "-",
        retention=", ".join(f"{name}={kept}" for name, kept in days.items()) or "-",
        sensitive_words=", ".join(found.sensitive_words) or "-",
        **{f"acknowledgement_{tongue}": text for tongue, text in found.acknowledgement.items()},
        **{f"frame_{place}": text for place, text in frame_fields(found.frame).items()},
        **{
            f"disclosure_{tongue}": text
            for tongue, text in disclosures(found.disclosure_status, found.disclosure).items()
        },
        disclosure_status=found.disclosure_status,
        authserv_ids=", ".join(found.authserv_ids) or "-",
        ask_rating="yes" if found.ask_rating else "no",
        holds_loosening="yes" if found.holds_loosening else "no",
        answers_from_knowledge="yes" if found.answers_from_knowledge else "no",
        answer_decision=found.answer_decision,
    )
