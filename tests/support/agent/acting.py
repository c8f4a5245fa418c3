"""A client whose agent can act: a rulebook, the demo shop with orders, and a scripted brain."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from activities.agent.think import Think
from activities.reviews.revise_review import ReviseReview
from adapters.demo.shop import DemoOrder, Movement, movements, open_demo_shop
from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from domain.agent.brain import (
    Brain,
    BrainAnswer,
    BrainRequest,
    Category,
    Citation,
    Proposal,
    Template,
)
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.core.money import Money
from domain.integrations.integration import Integration
from domain.integrations.order import OrderState
from domain.integrations.providers import Provider
from store.content.content import ContentRepository
from store.integrations.integrations import IntegrationRepository
from tests.support.core.engine import LiveEngine, think_with
from tests.support.tenants.shop import Shop, open_shop, with_sender

CUSTOMER = "lea.martin@example.com"
WISH = "Bonjour, je voudrais être remboursée de ma commande n° 2001, merci."
ASKED = {"event_type": "shopify.ticket.created", "customer_email": CUSTOMER, "message": WISH}


def rules(
    level: ActionLevel = ActionLevel.AUTONOMOUS,
    *,
    per_action: int | None = 5_000,
    per_customer: int | None = None,
    per_day: int | None = None,
) -> Rulebook:
    """Return rules for refunds and cancellations with this level, and these limits in euro
    cents."""
    limits = MoneyLimits(
        currency="EUR", per_action=per_action, per_customer=per_customer, per_day=per_day
    )
    rule = ActionRule(level=level, limits=limits)
    return Rulebook(actions={ActionKind.REFUND: rule, ActionKind.CANCEL_ORDER: rule})


def order(number: str, minor: int = 4_900, *, email: str = CUSTOMER, **more: str) -> DemoOrder:
    return DemoOrder(
        number=number,
        customer_email=email,
        state=OrderState(more.pop("state", "delivered")),
        total=Money(minor=minor, currency="EUR"),
        placed_at=utc_now() - timedelta(days=3),
        items=("1 × peignoir",),
        **more,
    )


class Acting:
    """The client, its shop's file, and the shop's refunds."""

    def __init__(self, shop: Shop, path: Path) -> None:
        self.shop = shop
        self.path = path

    @property
    def movements(self) -> tuple[Movement, ...]:
        return movements(self.path)

    @property
    def refunded(self) -> int:
        """Return the refunded euro cents."""
        return sum(movement.amount.minor for movement in self.movements)


async def acting_shop(
    engine: LiveEngine, folder: Path, orders: Sequence[DemoOrder], rulebook: Rulebook
) -> Acting:
    path = folder / f"{new_ulid()}.db"
    open_demo_shop(path, orders)
    shop = await open_shop(engine.database, rulebook=rulebook)
    await with_sender(engine.database, shop)
    await connect(engine, shop, Provider.DEMO_SHOP, {"path": str(path)}, "{}")
    return Acting(shop, path)


async def connect(
    engine: LiveEngine, shop: Shop, provider: Provider, settings: dict[str, str], secrets: str
) -> str:
    """Connect a merchant's system, and return the integration's id."""
    sealed = FernetSealer(engine.settings.seal.key.get_secret_value()).seal(secrets)
    integration = Integration(id=new_ulid(), provider=provider, settings=settings, sealed=sealed)
    async with engine.database.tenant(shop.tenant) as connection:
        await IntegrationRepository(connection, shop.tenant).connect(
            integration, utc_now(), new_ulid
        )
    return integration.id


async def promising(engine: LiveEngine, shop: Shop) -> None:
    """Give the shop a template that promises a refund, so that the embedded brain proposes one."""
    template = Template(
        id=new_ulid(),
        name="Remboursement",
        category=Category.REFUND_REQUEST,
        language="fr",
        body="Nous vous remboursons {{ refund_amount }} pour la commande {{ order_number }}.",
        intent=Intent.REFUND,
    )
    async with engine.database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_template(template, utc_now())


class ScriptedBrain:
    """A confident brain that always proposes the same actions."""

    def __init__(
        self,
        *kinds: ActionKind,
        category: Category = Category.REFUND_REQUEST,
        text: str = "C'est fait.",
    ) -> None:
        self._kinds = kinds
        self._category = category
        self._text = text
        self.requests: list[BrainRequest] = []

    async def think(self, request: BrainRequest) -> BrainAnswer:
        self.requests.append(request)
        cited = (
            (Citation(kind="order", id=request.order.id, title=f"#{request.order.number}"),)
            if request.order
            else ()
        )
        return BrainAnswer(
            classification=self._category,
            confidence=0.99,
            language="fr",
            response=self._text,
            citations=cited,
            proposals=tuple(Proposal(kind=kind, text="vu", tags=("vip",)) for kind in self._kinds),
            model="scripted",
        )


def think_by(engine: LiveEngine, brain: Brain) -> None:
    """Make the engine's worker use this brain. The worker must not have started yet."""
    thinking: Think = think_with(engine.worker_database, brain)
    engine.activities = replace(
        engine.activities,
        think=thinking,
        revise_review=ReviseReview(engine.worker_database, thinking),
    )
