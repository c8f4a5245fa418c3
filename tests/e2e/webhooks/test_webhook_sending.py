"""Events from a command are sent at once if Temporal responds, and otherwise by the sweeper."""

from dataclasses import dataclass

import pytest
from temporalio.client import Client

from adapters.seal import new_seal_key
from adapters.temporal.connection import connect
from domain.core.names import WEBHOOKS_QUEUE, send_webhooks_id
from embedded.ports import free_port
from store.core.database import Database
from store.webhooks.tables import webhook_deliveries
from tests.support.core.command_line import cli, cli_json
from tests.support.core.rows import only_row
from tests.support.core.temporal import TemporalServer, temporal_at
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhooks import subscribe

# The connection test calls nobody: addresses on this machine are not allowed.
SHOPIFY = (
    *("--provider", "shopify", "--set", "base_url=http://127.0.0.1:9"),
    *("--set", "shop=acme.myshopify.com", "--secret", "access_token"),
)


@dataclass(frozen=True)
class Installation:
    database: Database
    temporal: Client
    shop: Shop
    env: dict[str, str]

    async def delivery_of(self, event: str) -> dict[str, object]:
        return await only_row(
            self.database, webhook_deliveries, client_id=self.shop.client_id, event=event
        )

    async def is_sending(self, event: str) -> bool:
        """Return whether the event's only delivery was handed over; end it."""
        delivery_id = str((await self.delivery_of(event))["id"])
        sending = self.temporal.get_workflow_handle(
            send_webhooks_id(self.shop.client_id, delivery_id)
        )
        at_work = (await sending.describe()).task_queue == WEBHOOKS_QUEUE
        await sending.terminate()
        return at_work


@pytest.fixture
async def installed(
    database: Database, database_url: str, temporal: TemporalServer, shop: Shop
) -> Installation:
    await subscribe(database, shop)
    namespace = temporal.take_namespace()
    return Installation(
        database,
        await connect(temporal_at(temporal.address, namespace)),
        shop,
        {
            "DATABASE_URL": database_url,
            "TEMPORAL_ADDRESS": temporal.address,
            "TEMPORAL_NAMESPACE": namespace,
            "SEAL_KEY": new_seal_key(),
            "INTEGRATION_ACCESS_TOKEN": "token",
        },
    )


async def test_integrations_and_playbooks(installed: Installation) -> None:
    client, env = installed.shop.client_id, installed.env

    made = cli_json("integration", "connect", "--client", client, *SHOPIFY, **env)
    assert await installed.is_sending("integration.connected")
    cli_json("integration", "disconnect", made["integration_id"], **env)
    assert await installed.is_sending("integration.disconnected")
    cli_json(
        "playbook", "create", "--client", client, "--name", "Autre", "--event-type", "x", **env
    )
    assert await installed.is_sending("playbook.activated")


async def test_a_temporal_that_is_away_fails_no_command(installed: Installation) -> None:
    env = {**installed.env, "TEMPORAL_ADDRESS": f"127.0.0.1:{free_port()}"}

    done = cli(
        "playbook",
        "create",
        "--client",
        installed.shop.client_id,
        "--name",
        "Autre",
        "--event-type",
        "x",
        **env,
    )

    assert done.returncode == 0
    assert "error:" not in done.stderr
    assert (await installed.delivery_of("playbook.activated"))["status"] == "pending"
