"""simulate: a command that shows how the agent would answer messages, and why."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from adapters.system import new_ulid
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    database_of,
    out,
    sealer_of,
    settings_for,
    synchronous,
)
from commands.core.listing import facts_table
from commands.core.person import operator
from commands.core.texts import content_of
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId, parse_ulid
from domain.playbooks.file import draft_in, yaml_in
from domain.simulation.asked import SimulationAsked
from domain.simulation.outcome import SimulatedOutcome
from domain.simulation.scenario import (
    MAX_MESSAGE,
    Scenario,
    ScenarioCustomer,
    ScenarioMessage,
    ScenarioOrder,
)
from domain.simulation.scenario_file import parse_scenario
from domain.simulation.variant import Variant
from services.simulation.simulator import simulate as simulated

_NO_PLAYBOOK = (
    "no active playbook handles this event type: see --event-type, or event_type in the file"
)
_MADE_UP = ScenarioCustomer(email="customer@example.com")


@synchronous
async def simulate(
    client: ClientOption,
    message: Annotated[
        list[str] | None,
        typer.Option(help="Text of the customer's message. Repeatable, for a conversation."),
    ] = None,
    scenario: Annotated[
        Path | None,
        typer.Option(
            help=(
                "YAML file with a conversation, as described in docs/simulator.md; - for standard "
                "input."
            )
        ),
    ] = None,
    order_number: Annotated[
        str | None,
        typer.Option(help=("Number of a simulated order of EUR 49.00 that has shipped.")),
    ] = None,
    event_type: Annotated[
        str, typer.Option(help="Event type, which determines the playbook.")
    ] = "api_direct",
    playbook: Annotated[
        str | None, typer.Option(help="Id of the playbook to use for every event type.")
    ] = None,
    version: Annotated[
        int | None, typer.Option(min=1, help=("Version of --playbook to use."))
    ] = None,
    draft: Annotated[
        Path | None,
        typer.Option(
            help=(
                "YAML file with one playbook. If --playbook is given, this file replaces that "
                "playbook."
            )
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help=("Confidence threshold to use instead of the playbook's threshold.")
        ),
    ] = None,
    embedded_brain: Annotated[
        bool,
        typer.Option(
            "--embedded-brain",
            help="Use the embedded brain, even if a language model is configured.",
        ),
    ] = False,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show the answers and actions that the agent would choose, with the reasons. A worker runs the
    agent without executing any action."""
    if version is not None and (playbook is None or draft is not None):
        raise InvalidInput("version: requires --playbook, and cannot be combined with --draft")
    asked = SimulationAsked(
        scenario=_scenario(message, scenario, order_number, event_type),
        variant=Variant(
            playbook_id=None if playbook is None else parse_ulid(playbook) or playbook,
            version=version,
            draft=None if draft is None else draft_in(yaml_in(content_of(draft))).spec,
            threshold=threshold,
            embedded_brain=embedded_brain,
        ),
    )
    # The module is imported here because Temporal's client takes half a second to load.
    from adapters.temporal.client import TemporalEngine  # noqa: PLC0415
    from adapters.temporal.connection import connect  # noqa: PLC0415

    settings, sealer = settings_for(data), sealer_of(data)
    async with database_of(data) as database:
        found = await simulated(
            database,
            operator(),
            TenantId(parse_ulid(client) or client),
            asked,
            sealed=sealer.seal(asked.model_dump_json()),
            simulator=TemporalEngine(await connect(settings.temporal, lazy=True)),
            sealer=sealer,
            simulation_id=new_ulid(),
            has_model=settings.brain.is_remote,
        )
    if as_json:
        answer(True, "", **found.model_dump(mode="json"))
        return
    said = (one.text for one in asked.scenario.messages if one.author == "customer")
    for text, outcome in zip(said, found.outcomes, strict=True):
        table = facts_table(text)
        for name, value in _facts(outcome):
            table.add_row(name, escape(value))
        out.print(table)


def _scenario(
    said: list[str] | None, file: Path | None, order_number: str | None, event_type: str
) -> Scenario:
    if (file is None) == (not said):
        raise InvalidInput("either --message or --scenario")
    if file is not None:
        if order_number is not None:
            raise InvalidInput(
                "order-number: cannot be combined with a scenario, which contains its own order"
            )
        return parse_scenario(content_of(file))
    if any(not 0 < len(text) <= MAX_MESSAGE for text in said or ()):
        raise InvalidInput(f"message: 1 to {MAX_MESSAGE} characters")
    return Scenario(
        messages=tuple(ScenarioMessage(text=text) for text in said or ()),
        event_type=event_type,
        customer=_MADE_UP,
        order=None if order_number is None else ScenarioOrder(number=order_number, total="49.00"),
    )


def _facts(outcome: SimulatedOutcome) -> Iterator[tuple[str, str]]:
    """Yield the outcome of one message and its reasons, as names and values. Empty fields are
    omitted."""
    used, order = outcome.playbook, outcome.lookup.order if outcome.lookup else None
    held = ", because human agents handle the conversation" if outcome.held else ""
    facts = (
        ("status", f"{outcome.status}{held}"),
        ("why", outcome.reason or (used is None and _NO_PLAYBOOK)),
        ("playbook", used and f"{used.name}, from {used.threshold}"),
        ("class", outcome.model and f"{outcome.classification}, {outcome.confidence:.2f}"),
        ("intent", outcome.intent),
        ("sensitive", outcome.sensitive),
        ("looked up", outcome.lookup and outcome.lookup.state),
        ("order", order and f"{order.number}, {order.state}, {order.refundable} refundable"),
        ("response", outcome.response),
        ("draft", "" if outcome.response else outcome.draft),
        ("rests on", ", ".join(f"{one.kind} {one.title}" for one in outcome.sources)),
        ("found", ", ".join(one.title for one in outcome.findings if not one.left_out)),
        ("plan", ", ".join(f"{step.kind} {step.amount or ''}".strip() for step in outcome.plan)),
        ("policy", ", ".join(f"{one.kind} {one.ruling}" for one in outcome.verdicts)),
        ("model", outcome.model),
        ("cost", outcome.cost_micros and f"{outcome.cost_micros / 1_000_000:.6f} USD"),
    )
    return ((name, str(value)) for name, value in facts if value)
