"""brain: a client's own classifier head, trained for the embedded classifier."""

import typer

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    out,
    reading_client,
)
from commands.core.listing import print_list
from domain.learning.own_head_trial import OwnHeadRecord
from store.learning.own_heads import OwnHeadRepository

app = typer.Typer(help="Show what a client's classifier has learned.")


@app.callback()
def brain_group() -> None:
    """docs/learning.md explains which tickets the classifier learns from."""


@command(app, "status")
async def status(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show the versions of the client's own classifier head, newest first.

    For each version, the list states how accurate the client's own head and the shared head are on
    held-out tickets. The state of the latest version shows whether it is in use.
    """
    async with reading_client(data, client) as (connection, tenant):
        heads = OwnHeadRepository(connection, tenant)
        found, lessons = await heads.versions(), len(await heads.decided())
    if as_json:
        versions = [_fields(one) for one in found]
        answer(True, "", client_id=tenant, decided_tickets=lessons, versions=versions)
        return
    out.print(f"{lessons} decided tickets for training")
    print_list(
        ("version", "since", "state", "tickets", "own", "shared"),
        [
            (
                one.id,
                f"{one.created_at:%Y-%m-%d}",
                one.state,
                str(one.tickets),
                f"{one.own_accuracy:.3f}" if one.is_compared else "-",
                f"{one.shared_accuracy:.3f}" if one.is_compared else "-",
            )
            for one in found
        ],
    )


def _fields(one: OwnHeadRecord) -> dict[str, object]:
    own, shared = round(one.own_accuracy, 4), round(one.shared_accuracy, 4)
    return {
        **one.model_dump(mode="json"),
        "own_accuracy": own if one.is_compared else None,
        "shared_accuracy": shared if one.is_compared else None,
    }
