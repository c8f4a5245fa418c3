"""client: commands that create clients and change their plans."""

from typing import Annotated

import typer

from adapters.system import new_ulid, utc_now
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    reading_client,
    work_on,
)
from commands.core.listing import print_list
from commands.core.person import AsOption, operator
from domain.core.ids import TenantId, parse_ulid
from domain.core.period import period_of
from domain.playbooks.starter import starter_playbooks
from domain.tenants.client import Plan
from services.billing.plans import change_plan, give_trial
from services.content.templates import add_starter_templates
from services.playbooks.playbooks import import_playbooks
from services.playbooks.publish_gate import NEW_CLIENT
from services.tenants.clients import NewClient, give_brain_budget, open_client
from services.tenants.members import acting_as
from store.billing.usage import UsageRepository
from store.intake.attachment_bytes import AttachmentBytes
from store.tenants.clients import ClientEntry, ClientRepository

app = typer.Typer(
    help=("Manage merchant accounts. To remove one, use `erase`."), no_args_is_help=True
)


@command(app, "create")
async def create(
    brand: Annotated[str, typer.Option(help="Brand name that customers know.")],
    owner_email: Annotated[
        str,
        typer.Option(
            help="Email address of the owner. If no user has this address, a user is created."
        ),
    ],
    plan: Annotated[Plan, typer.Option()] = Plan.FREE,
    owner_id: Annotated[
        str | None,
        typer.Option(help="User id for a new owner: the `sub` claim from your identity provider."),
    ] = None,
    with_playbooks: Annotated[
        bool,
        typer.Option(
            "--playbooks/--no-playbooks", help=("Add the starter playbooks to the client.")
        ),
    ] = True,
    with_templates: Annotated[
        bool,
        typer.Option(
            "--templates/--no-templates", help=("Add the starter templates to the client.")
        ),
    ] = True,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Create a client. Its starter playbooks send answers and hold refunds for human review."""
    new = NewClient(brand, owner_email, plan, owner_id)
    starter = starter_playbooks() if with_playbooks else ()
    async with work_on(data) as units, units.spanning(TenantId(new_ulid())) as work:
        owner = await open_client(work, operator(), new)
        # The actor is determined after the owner is created because the actor may be the new owner.
        actor = await acting_as(work, operator(), person)
        await import_playbooks(work, actor, starter, NEW_CLIENT)
        if with_templates:
            await add_starter_templates(work, actor)
    answer(as_json, f"Client {brand} made.", client_id=work.tenant, owner_user_id=owner)


@command(app, "list")
async def list_all(data: DataOption = DEFAULT_DATA, as_json: JsonOption = False) -> None:
    """Show all clients, oldest first."""
    async with database_of(data) as database, database.reading_across() as connection:
        found = await ClientRepository(connection).all()
    if as_json:
        answer(True, "", clients=[_fields(one) for one in found])
        return
    print_list(
        ("client", "brand", "plan", "owner"),
        [(one.id, one.brand_name, one.plan.value, one.owner_email) for one in found],
    )


@command(app, "show")
async def show(
    client: Annotated[str, typer.Argument(metavar="CLIENT_ID")],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show one client with its owner, plan and usage."""
    now = utc_now()
    async with reading_client(data, parse_ulid(client) or client) as (connection, tenant):
        clients = ClientRepository(connection)
        found = await clients.entry(tenant)
        usage = await UsageRepository(connection, tenant).in_month(period_of(now))
        budget = await clients.brain_budget(tenant)
        attached = await AttachmentBytes(connection, tenant).kept()
    subscription = usage.subscription
    answer(
        as_json,
        found.brand_name,
        **_fields(found),
        plan_in_force=subscription.plan_at(now).value,
        trial_ends_at=subscription.trial_end(now),
        next_plan=subscription.next_plan.value if subscription.next_plan else None,
        next_plan_from=subscription.next_plan_from,
        tickets_used=usage.tickets_used,
        tickets_limit=usage.standing(now).tickets_limit,
        credits_balance=usage.credits_balance,
        brain_budget_usd=None if budget is None else budget / 1_000_000,
        attachment_bytes=attached,
    )


def _fields(client: ClientEntry) -> dict[str, object]:
    return {
        "client_id": client.id,
        "brand_name": client.brand_name,
        "plan": client.plan.value,
        "owner_email": client.owner_email,
        "created_at": client.created_at,
    }


@command(app, "set-plan")
async def set_plan(
    client: ClientOption,
    plan: Annotated[Plan, typer.Option()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Change a client's plan. Upgrades take effect immediately, downgrades next month."""
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        changed = await change_plan(work, operator(), plan)
    answer(
        as_json,
        "Plan changed." if changed.next_plan is None else "The plan changes next month.",
        client_id=client,
        plan=changed.plan_at(work.now).value,
        next_plan=changed.next_plan.value if changed.next_plan else None,
        next_plan_from=changed.next_plan_from,
    )


@command(app, "set-trial")
async def set_trial(
    client: ClientOption,
    days: Annotated[
        int,
        typer.Option(
            help=("Length of the trial in days from now; 0 ends the trial."), min=0, max=365
        ),
    ],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Give a client the pro plan's quota and features for a number of days. Then the client's
    regular plan applies again."""
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        ends_at = await give_trial(work, operator(), days)
    answer(as_json, "Trial set.", client_id=client, trial_ends_at=ends_at)


@command(app, "set-brain-budget")
async def set_brain_budget(
    client: ClientOption,
    usd: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1_000_000,
            help="Amount in US dollars per month; defaults to BRAIN_MONTHLY_BUDGET.",
        ),
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Set a client's monthly budget for language models. Once the budget is used up, the embedded
    brain drafts the answers."""
    micros = None if usd is None else round(usd * 1_000_000)
    async with work_on(data) as units, units.of(TenantId(client)) as work:
        await give_brain_budget(work, operator(), micros)
    answer(as_json, "Budget set.", client_id=client, usd_a_month=usd)
