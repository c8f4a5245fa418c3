"""PrestaShop's webhooks for orders and customers' messages, sent by the merchant's own module.

PrestaShop has no webhooks, so the format is the generic one with fixed field names
(`docs/inbound/prestashop.md`). The poller converts its changes to the same format.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Final

from pydantic import AwareDatetime, BaseModel, Field

from domain.core.money import Money
from domain.inbound.author_proof import AuthorProof
from domain.inbound.body import MAX_JSON, shaped
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.inbound.meaning import InboundTicket, Meaning, OrderNews
from domain.inbound.order_values import (
    Amount,
    Currency,
    order_email,
    order_items,
    order_money,
    order_number,
    tracking_link,
)
from domain.inbound.ports import EndpointFacts
from domain.inbound.standard_webhooks import delivery_id, verify_standard
from domain.intake.event import InboundEvent
from domain.integrations.order import OrderState, first_link
from domain.integrations.order_fact import OrderFact
from domain.integrations.providers import Provider

_MESSAGE: Final = "message.created"

_Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}$", coerce_numbers_to_str=True)]
_Line = Annotated[str, Field(max_length=1_000)]


class _Type(BaseModel):
    type: Annotated[str, Field(pattern=r"^[a-z_.]{1,100}$")]


class _Item(BaseModel):
    name: str
    quantity: int = 1


class _Order(BaseModel):
    id: _Id
    reference: _Line
    updated_at: AwareDatetime
    email: _Line | None = None
    state: OrderState | None = None
    total: Amount | None = None
    refunded: Amount | None = None
    currency: Currency | None = None
    placed_at: AwareDatetime | None = None
    tracking_url: str | None = None
    items: tuple[_Item, ...] | None = None
    deleted: bool = False

    def fact(self) -> OrderFact:
        return OrderFact(
            order_id=self.id,
            version=self.updated_at,
            number=order_number(self.reference),
            customer_email=order_email(self.email),
            state=self.state,
            total=self._money(self.total),
            refunded=self._money(self.refunded),
            placed_at=self.placed_at,
            tracking_url=first_link((tracking_link(self.tracking_url),)),
            items=None
            if self.items is None
            else order_items((item.quantity, item.name) for item in self.items),
            is_deleted=self.deleted,
        )

    def _money(self, amount: str | None) -> Money | None:
        return None if amount is None else order_money(amount, self.currency or "")


class _OrderBody(BaseModel):
    data: _Order


class _Message(BaseModel):
    """A customer's message. `customer_verified` means that the customer was signed in.
    `email_confirmed` means that the shop has verified the account's address. Both are required to
    prove the address because PrestaShop opens accounts under any address."""

    id: _Id
    message: Annotated[str, Field(max_length=100_000)]
    email: _Line | None = None
    name: _Line | None = None
    subject: _Line | None = None
    order_reference: _Line | None = None
    customer_verified: bool = False
    email_confirmed: bool = False

    def ticket(self) -> InboundTicket:
        said = {
            "subject": self.subject,
            "customer_name": self.name,
            "order_number": self.order_reference,
        }
        return InboundTicket(
            event=InboundEvent(
                event_type="prestashop.message",
                source=Provider.PRESTASHOP.value,
                customer_email=order_email(self.email),
                message=self.message.replace("\0", ""),
                payload={
                    **{name: one.replace("\0", "") for name, one in said.items() if one},
                    "customer_verified": self.customer_verified and self.email_confirmed,
                },
            ),
            message_key=f"message/{self.id}",
        )


class _MessageBody(BaseModel):
    data: _Message


class PrestaShopWebhooks:
    provider = Provider.PRESTASHOP
    topics: Mapping[str, WebhookKind] = {
        "order.created": WebhookKind.FACT,
        "order.updated": WebhookKind.FACT,
        _MESSAGE: WebhookKind.TICKET,
    }
    max_body = MAX_JSON
    refusal_status = 401
    needs_secret = False
    signs = True
    is_limited = False
    author_proof = AuthorProof.SIGNED_IN

    def is_ping(self, request: InboundRequest) -> bool:  # noqa: ARG002 - the protocol requires it
        return False

    def verify(self, request: InboundRequest, secrets: tuple[str, ...], now: datetime) -> None:
        verify_standard(request, secrets, now)

    def identify(self, request: InboundRequest) -> Identity:
        return Identity(delivery_id(request), shaped(_Type, request.body).type)

    def read(self, request: InboundRequest, identity: Identity, facts: EndpointFacts) -> Meaning:  # noqa: ARG002
        if identity.topic == _MESSAGE:
            return shaped(_MessageBody, request.body).data.ticket()
        return OrderNews((shaped(_OrderBody, request.body).data.fact(),))
