"""Compliance requests from a platform. A signature with a trusted secret proves that a request is
genuine."""

from typing import Final, assert_never

from domain.core.ports import Sealer
from domain.inbound.data_request import DUE_AFTER
from domain.inbound.inbound_webhook import Outcome
from domain.inbound.meaning import ComplianceKind, ComplianceRequest
from domain.inbound.performed import ComplianceReason, Performed
from domain.inbound.platform_catalogue import DUTIFUL
from domain.intake.customer_email import customer_key
from domain.integrations.providers import Provider
from domain.privacy.contracts import EraseInput
from domain.privacy.erasure import subject_digests
from domain.tenants.actor import OPERATORS, Actor
from services.core.unit_of_work import UnitOfWork
from store.inbound.data_requests import DataRequestRepository
from store.inbound.endpoints import EndpointRepository
from store.inbound.shop_redaction import ShopRedaction
from store.integrations.integrations import IntegrationRepository
from store.integrations.order_facts import OrderFactRepository

_NOTED: Final = {
    ComplianceKind.REDACT_CUSTOMER: "erasure ordered",
    ComplianceKind.CUSTOMER_DATA: "data requested",
    ComplianceKind.REDACT_SHOP: "shop redacted",
    ComplianceKind.DISCONNECT: "integration disconnected",
}

_LEFT_TO_OPERATORS: Final = frozenset(
    {ComplianceReason.SHOP_UNPROVED, ComplianceReason.SECRET_UNTRUSTED}
)
"""Reasons for which a requested erasure is not started."""


async def perform(
    work: UnitOfWork,
    actor: Actor,
    compliance: ComplianceRequest,
    *,
    webhook_id: str,
    integration_id: str,
    provider: Provider,
    is_trusted: bool,
    sealer: Sealer,
) -> Performed:
    """Fulfil a compliance request, or return the reason why a human must complete it. Idempotent by
    `webhook_id`. Raises RoleRequired.

    `is_trusted` means that the verifying secret was trusted on arrival. The caller must start
    `Performed.erase` before the webhook counts as done.
    """
    actor.require(OPERATORS)
    match compliance.kind:
        case ComplianceKind.REDACT_CUSTOMER | ComplianceKind.REDACT_SHOP if not is_trusted:
            # A manager, who is not allowed to erase anything, may have set this secret and signed
            # the request. An operator therefore decides.
            performed = Performed(Outcome.DUTY_FOR_PEOPLE, ComplianceReason.SECRET_UNTRUSTED)
        case ComplianceKind.REDACT_CUSTOMER:
            performed = await _redact_customer(
                work, actor, compliance, webhook_id, integration_id, sealer=sealer
            )
        case ComplianceKind.CUSTOMER_DATA:
            performed = await _note_request(work, compliance, webhook_id, integration_id)
        case ComplianceKind.REDACT_SHOP:
            redaction = ShopRedaction(work.connection, work.tenant)
            await redaction.erase(integration_id, request_id=webhook_id)
            # The platform sends no further requests about this shop, so the account is no longer
            # needed for routing.
            await IntegrationRepository(work.connection, work.tenant).forget_account(integration_id)
            # The service cannot determine which conversations mention this shop's orders, or where
            # copies of the orders remain. A person must finish the redaction.
            performed = Performed(Outcome.DUTY_FOR_PEOPLE, ComplianceReason.CONVERSATIONS_LEFT)
        case ComplianceKind.DISCONNECT:
            integrations = IntegrationRepository(work.connection, work.tenant)
            work.deliver(*await integrations.disconnect(integration_id, work.now, work.new_id))
            await EndpointRepository(work.connection, work.tenant).close_ended(but_of=DUTIFUL)
            performed = Performed(Outcome.DUTY_DONE)
        case _:
            assert_never(compliance.kind)
    left = performed.reason in _LEFT_TO_OPERATORS
    work.note(
        actor,
        "erasure requested" if left else _NOTED[compliance.kind],
        integration_id=integration_id,
        provider=provider.value,
        webhook_id=webhook_id,
    )
    return performed


async def _redact_customer(
    work: UnitOfWork,
    actor: Actor,
    compliance: ComplianceRequest,
    webhook_id: str,
    integration_id: str,
    *,
    sealer: Sealer,
) -> Performed:
    """Erase a customer completely or, if none is identified, only the listed orders.

    Unless the connection has authenticated with the shop, an operator decides. Managers can enter
    any shop's name, but are not allowed to erase customers.
    """
    if not await IntegrationRepository(work.connection, work.tenant).is_proved(integration_id):
        return Performed(Outcome.DUTY_FOR_PEOPLE, ComplianceReason.SHOP_UNPROVED)
    facts = OrderFactRepository(work.connection, work.tenant)
    await facts.forget_orders(integration_id, compliance.order_ids)
    key = customer_key(compliance.customer_email)
    if key is None:
        return Performed(Outcome.DUTY_FOR_PEOPLE, ComplianceReason.NO_ADDRESS)
    erase = EraseInput(
        erasure_id=webhook_id,
        client_id=work.tenant,
        requested_by=actor.name,
        subject=subject_digests(sealer, work.tenant, key)[0].hex(),
        sealed_customer=sealer.seal(key),
    )
    return Performed(Outcome.DUTY_DONE, reference=erase.erasure_id, erase=erase)


async def _note_request(
    work: UnitOfWork, compliance: ComplianceRequest, webhook_id: str, integration_id: str
) -> Performed:
    """Store a data request for the client's members to fulfil. Only they know when the customer has
    received the data."""
    await DataRequestRepository(work.connection, work.tenant).open(
        webhook_id,
        integration_id=integration_id,
        customer_email=compliance.customer_email,
        order_ids=compliance.order_ids,
        now=work.now,
        due_at=work.now + DUE_AFTER,
    )
    return Performed(Outcome.DUTY_FOR_PEOPLE, ComplianceReason.DATA_REQUESTED, reference=webhook_id)
