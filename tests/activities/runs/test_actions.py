"""Action handlers: requests that are refused without calling an external system."""

from contextlib import ExitStack
from dataclasses import replace

import pytest

from activities.integrations.client_mail import ClientMail
from activities.runs.actions import ACTIONS_AT_ONCE, Actions, Step
from adapters.connectors.http import open_client
from adapters.connectors.registry import ConnectorRegistry
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid
from domain.agent.brain import Category
from domain.agent.frame import PLAIN_FRAME
from domain.agent.plan import ON_ORDERS, ActionKind, PlannedAction
from domain.agent.rulebook import Rulebook
from domain.agent.thread import Thread
from domain.core.ids import TenantId
from domain.integrations.errors import ActionRefused, ActionsBusy
from domain.integrations.integration import Integration
from domain.integrations.providers import Provider
from domain.runs.run import RunDraft
from domain.tenants.guidance import Guidance
from store.core.database import Database
from store.runs.cases import Case
from tests.support.agent.orders import an_order
from tests.support.agent.policy_context import an_event
from tests.support.integrations.mailers import client_mail, mailer_to
from tests.support.servers import freshdesk
from tests.support.servers.stripe import API_KEY, StripePayment, stripe_server

CASE = Case(
    event=an_event(),
    conversation_id=None,
    playbook_id="p",
    playbook_version=1,
    brand_name="Chez Nous",
    sender_name="Chez Nous",
    system_prompt="",
    guidance=Guidance(),
    sensitive_words=(),
    answers_from_knowledge=True,
    answer_decision=2,
    frame=PLAIN_FRAME,
    rulebook=Rulebook(),
    turns=(),
    thread=Thread(),
    automatic_turns=0,
    unattended_turns=0,
    is_held=False,
    summary="",
    lookup=None,
    draft=None,
    approvals=0,
    human_text=None,
)
SEALER = FernetSealer(new_seal_key())
TENANT = TenantId(new_ulid())


def _mail(database: Database) -> ClientMail:
    return client_mail(database, mailer_to(None))


async def test_what_a_shop_cannot_do_is_refused_unasked(database: Database) -> None:
    """Stripe can refund a payment, but cannot cancel a shipment."""
    with stripe_server(StripePayment("pi_1", 4990)) as server:
        integration = Integration(
            id="i",
            provider=Provider.STRIPE,
            settings={"base_url": server.url},
            sealed=SEALER.seal(f'{{"api_key": "{API_KEY}"}}'),
        )
        async with open_client() as http:
            connectors = ConnectorRegistry(SEALER, http, allow_loopback=True)
            actions = Actions(_mail(database), connectors)
            order = an_order(id="pi_1")
            refund, cancel = (
                Step(
                    TENANT,
                    "run",
                    PlannedAction(kind=kind, order_id="pi_1", amount=order.refundable),
                    CASE,
                    integration,
                    order,
                    "3f2b7c1e-0000-5000-8000-000000000001",
                )
                for kind in (ActionKind.REFUND, ActionKind.CANCEL_ORDER)
            )

            with pytest.raises(ActionRefused, match="cancels no orders"):
                await actions.perform(cancel)
            assert server.seen == []
            assert await actions.perform(refund)


@pytest.mark.parametrize("kind", sorted(ON_ORDERS))
async def test_without_an_order_nothing_is_done_to_one(
    database: Database, kind: ActionKind
) -> None:
    async with open_client() as http:
        connectors = ConnectorRegistry(SEALER, http, allow_loopback=True)
        actions = Actions(_mail(database), connectors)
        step = Step(TENANT, "run", PlannedAction(kind=kind), CASE, None, None, "key")

        with pytest.raises(ActionRefused):
            await actions.perform(step)


async def test_an_answer_without_the_disclosure_is_looked_for_too(database: Database) -> None:
    """The version before the upgrade may have sent the draft without the disclosure."""
    with freshdesk.freshdesk_server() as server:
        number = server.open_ticket("jean@example.com")
        settings = {"domain": "acme", "email": "a@acme.example", "base_url": server.url}
        sealed = SEALER.seal(f'{{"api_key": "{freshdesk.API_KEY}"}}')
        integration = Integration(
            id="i", provider=Provider.FRESHDESK, settings=settings, sealed=sealed
        )
        draft = RunDraft(
            classification=Category.OTHER, confidence=1, text="Merci à vous !", doubt=None, plan=()
        )
        action = PlannedAction(kind=ActionKind.REPLY_IN_HELPDESK, ticket_id=number)
        sent = Step(TENANT, "run", action, replace(CASE, draft=draft), integration, None, "key")
        now = replace(sent.case, disclosure="Une IA vous a répondu.")
        async with open_client() as http:
            connectors = ConnectorRegistry(SEALER, http, allow_loopback=True)
            actions = Actions(_mail(database), connectors)
            first = await actions.perform(sent)
            assert await actions.perform(replace(sent, case=now, again=True)) == first
            assert await actions.perform(replace(sent, case=now)) != first


async def test_a_client_has_few_actions_in_progress(database: Database) -> None:
    """Emails have their own slots. An action that has ended leaves its place to the next."""
    integration = Integration(id="i", provider=Provider.STRIPE, settings={}, sealed=b"")
    async with open_client() as http:
        connectors = ConnectorRegistry(SEALER, http, allow_loopback=True)
        room = Actions(_mail(database), connectors).room
    with ExitStack() as in_progress:
        for _ in range(ACTIONS_AT_ONCE):
            in_progress.enter_context(room(TENANT, integration))
        with pytest.raises(ActionsBusy), room(TENANT, integration):
            raise AssertionError
        with room(TENANT, None), room(TenantId(new_ulid()), integration):
            pass
    with room(TENANT, integration):
        pass
