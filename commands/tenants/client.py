"""client: make merchants' accounts and change their plan."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final

import typer

from adapters.system import new_ulid, utc_now
from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    transaction_on,
)
from commands.core.listing import print_list
from commands.core.person import AsOption, acting_person
from commands.tenants.member import checked_id
from commands.webhooks.sending import have_sent
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.playbooks.file import parse_playbooks
from domain.tenants.client import Plan
from store.billing.thresholds import note_reached
from store.playbooks.playbook_changes import PlaybookChanges
from store.tenants.accounts import AccountRepository
from store.tenants.clients import ClientEntry, ClientRepository
from store.tenants.members import MemberRepository

app = typer.Typer(help="Merchants' accounts.", no_args_is_help=True)

STARTER: Final = Path(__file__).parents[1] / "playbooks" / "starter_playbooks.yaml"


@app.command("create")
@command
async def create(
    brand: Annotated[str, typer.Option(help="Name the customers know.")],
    owner_email: Annotated[str, typer.Option(help="The owner; made if unknown.")],
    plan: Annotated[Plan, typer.Option()] = Plan.FREE,
    owner_id: Annotated[
        str | None, typer.Option(help="Id of a new owner: `sub` at your identity provider.")
    ] = None,
    with_playbooks: Annotated[
        bool, typer.Option("--playbooks/--no-playbooks", help="Begin with the starter set.")
    ] = True,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Make a client. Its starter playbooks answer, and leave refunds to a human's word."""
    if not brand.strip() or "@" not in owner_email:
        raise InvalidInput("a brand and the owner's mail address are needed")
    client_id, now = new_ulid(), utc_now()
    starter = parse_playbooks(STARTER.read_bytes()) if with_playbooks else ()
    async with transaction_on(data) as connection:
        if owner_id is not None:
            members = MemberRepository(connection)
            await members.ensure_user(checked_id(owner_id), owner_email, now)
        owner = await ClientRepository(connection).create(
            client_id=client_id,
            user_id=new_ulid(),
            brand=brand.strip(),
            plan=plan,
            owner_email=owner_email,
            now=now,
        )
        await PlaybookChanges(
            connection,
            TenantId(client_id),
            actor=await acting_person(connection, person),
            now=now,
            new_id=new_ulid,
        ).bring_in(starter)
    answer(as_json, f"Client {brand} made.", client_id=client_id, owner_user_id=owner)


@app.command("list")
@command
async def list_all(data: DataOption = DEFAULT_DATA, as_json: JsonOption = False) -> None:
    """Show all clients, the oldest first."""
    async with transaction_on(data) as connection:
        found = await ClientRepository(connection).all()
    if as_json:
        answer(True, "", clients=[_fields(one) for one in found])
        return
    print_list(
        ("client", "brand", "plan", "owner"),
        [(one.id, one.brand_name, one.plan.value, one.owner_email) for one in found],
    )


def _fields(client: ClientEntry) -> dict[str, object]:
    return {
        "client_id": client.id,
        "brand_name": client.brand_name,
        "plan": client.plan.value,
        "owner_email": client.owner_email,
        "created_at": client.created_at.isoformat(),
    }


@app.command("set-plan")
@command
async def set_plan(
    client: Annotated[str, typer.Option(help="client_id")],
    plan: Annotated[Plan, typer.Option()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Change a client's plan: upwards at once, downwards from the next month on."""
    now = utc_now()
    async with transaction_on(data) as connection:
        accounts = AccountRepository(connection, TenantId(client))
        changed = (await accounts.lock()).subscription.changed_to(plan, now)
        await accounts.save(changed)
        deliveries = await note_reached(connection, TenantId(client), now, new_ulid)
    await have_sent(data, client, deliveries)
    answer(
        as_json,
        "Plan changed." if changed.next_plan is None else "Plan changes next month.",
        client_id=client,
        plan=changed.plan_at(now).value,
        next_plan=changed.next_plan.value if changed.next_plan else None,
        next_plan_from=changed.next_plan_from,
    )


@app.command("set-trial")
@command
async def set_trial(
    client: Annotated[str, typer.Option(help="client_id")],
    days: Annotated[int, typer.Option(help="From now; 0 ends the trial.", min=0, max=365)],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Give a client the pro plan's quota and features for some days; its own plan follows."""
    now = utc_now()
    ends_at = now + timedelta(days=days) if days else None
    async with transaction_on(data) as connection:
        accounts = AccountRepository(connection, TenantId(client))
        subscription = (await accounts.lock()).subscription
        await accounts.save(replace(subscription, trial_ends_at=ends_at))
        deliveries = await note_reached(connection, TenantId(client), now, new_ulid)
    await have_sent(data, client, deliveries)
    answer(as_json, "Trial set.", client_id=client, trial_ends_at=ends_at)


@app.command("set-brain-budget")
@command
async def set_brain_budget(
    client: Annotated[str, typer.Option(help="client_id")],
    usd: Annotated[
        float | None,
        typer.Option(min=0, max=1_000_000, help="US dollars a month; absent: the setting's."),
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Say what language models may cost the client; beyond it the embedded brain thinks."""
    micros = None if usd is None else round(usd * 1_000_000)
    async with transaction_on(data) as connection:
        await ClientRepository(connection).set_brain_budget(client, micros)
    answer(as_json, "Budget set.", client_id=client, usd_a_month=usd)
