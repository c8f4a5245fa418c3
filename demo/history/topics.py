"""The topics in the demo shop's history: how often customers write about each, and the possible
outcomes."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from domain.agent.brain import Category, Language
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent


class SampleOutcome(StrEnum):
    """The outcome of a message. `answered`, `refunded` and `closed` need no human. `closed` does
    not need an answer either.

    - `approved`: a member sends the agent's draft.
    - `approved_twice`: two members approve a refund.
    - `edited`: a member sends another text.
    - `replied`: a member rejects the draft, then writes in the conversation.
    - `unanswered`: the review expires.
    - `waiting`: the review is open.
    """

    ANSWERED = "answered"
    REFUNDED = "refunded"
    CLOSED = "closed"
    APPROVED = "approved"
    APPROVED_TWICE = "approved_twice"
    EDITED = "edited"
    REPLIED = "replied"
    UNANSWERED = "unanswered"
    WAITING = "waiting"

    @property
    def is_alone(self) -> bool:
        """Return True if the agent handles the message alone."""
        return self in (SampleOutcome.ANSWERED, SampleOutcome.REFUNDED, SampleOutcome.CLOSED)

    @property
    def refunds(self) -> bool:
        return self in (SampleOutcome.REFUNDED, SampleOutcome.APPROVED_TWICE)


_BOTH: Final[tuple[Language, ...]] = ("fr", "en")


@dataclass(frozen=True, slots=True)
class SampleTopic:
    """A topic, with its key in the catalogues and its weight among all topics (`share`).

    - `outcomes`: the possible outcomes with their weights.
    - `mood`: the range of the sentiment.
    - `tag`: the tag that members add.
    - `reason`: the escalation reason of its reviews.
    - `template`, `knowledge`: the title of the cited text, by language.
    - `about_order`: its messages name an order.
    - `items`: the products that the order may contain, or empty for all.
    """

    name: str
    category: Category
    intent: Intent
    share: int
    outcomes: tuple[tuple[SampleOutcome, int], ...] = ((SampleOutcome.ANSWERED, 1),)
    mood: tuple[float, float] = (-0.1, 0.3)
    tag: str = ""
    reason: EscalationReason | None = None
    template: dict[Language, str] = field(default_factory=dict)
    knowledge: dict[Language, str] = field(default_factory=dict)
    about_order: bool = False
    items: tuple[str, ...] = ()
    languages: tuple[Language, ...] = _BOTH

    @property
    def refunds(self) -> bool:
        return any(outcome.refunds for outcome, _ in self.outcomes)


PRICES: Final = {
    "blanket": 8_900,
    "robe": 4_900,
    "lamp": 12_000,
    "bedding": 10_900,
    "diffuser": 3_400,
    "candle": 2_400,
    "throw": 7_900,
    "pillowcase": 2_900,
    "sheet": 5_900,
}
"""The products' prices, in cents."""

_CHEAP: Final = tuple(name for name, price in PRICES.items() if price <= 6_000)
_DEAR: Final = tuple(name for name, price in PRICES.items() if price > 6_000)
_BY_PEOPLE: Final = (
    (SampleOutcome.EDITED, 13),
    (SampleOutcome.REPLIED, 4),
    (SampleOutcome.UNANSWERED, 2),
)
_MISSING: Final = EscalationReason.MISSING_KNOWLEDGE
_POLICY: Final = EscalationReason.POLICY_RESTRICTION

TOPICS: Final = (
    SampleTopic(
        "track", Category.ORDER_STATUS, Intent.TRACK_ORDER, 24, about_order=True,
        template={"fr": "Suivi de commande", "en": "Order tracking"},
    ),
    SampleTopic(
        "refund", Category.REFUND_REQUEST, Intent.REFUND, 9,
        ((SampleOutcome.REFUNDED, 1),), (-0.4, 0.1), about_order=True, items=_CHEAP,
        template={"fr": "Remboursement effectué", "en": "Refund made"},
    ),
    SampleTopic(
        "returning", Category.REFUND_REQUEST, Intent.RETURN, 8, mood=(-0.3, 0.1), about_order=True,
        template={"fr": "Demande de retour", "en": "Refund request"},
    ),
    SampleTopic(
        "late", Category.SHIPPING_ISSUE, Intent.PARCEL_LATE, 9, mood=(-0.55, -0.2),
        about_order=True, template={"fr": "Colis en retard", "en": "Parcel delayed"},
    ),
    SampleTopic(
        "delivery", Category.PRODUCT_QUESTION, Intent.DELIVERY_OPTIONS, 10,
        knowledge={"fr": "Délais et frais de livraison", "en": "Shipping times and costs"},
    ),
    SampleTopic(
        "care", Category.PRODUCT_QUESTION, Intent.CARE, 7,
        knowledge={
            "fr": "Entretien de la couverture en lin lavé", "en": "Washing the linen blanket",
        },
    ),
    SampleTopic(
        "size", Category.PRODUCT_QUESTION, Intent.SIZE, 6, languages=("fr",),
        knowledge={"fr": "Tailles des peignoirs"},
    ),
    SampleTopic(
        "lamp", Category.PRODUCT_QUESTION, Intent.PRODUCT_INFO, 6, languages=("en",),
        knowledge={"en": "Compatibility of the lamp Aube with LED bulbs"},
    ),
    SampleTopic(
        "damaged", Category.SHIPPING_ISSUE, Intent.DAMAGED_ON_ARRIVAL, 5,
        ((SampleOutcome.EDITED, 4), (SampleOutcome.REPLIED, 1)), (-0.75, -0.35), "qualité",
        EscalationReason.LOW_CONFIDENCE, about_order=True,
        template={"fr": "Article abîmé à l'arrivée", "en": "Damaged on arrival"},
    ),
    SampleTopic(
        "complaint", Category.COMPLAINT, Intent.SERVICE_COMPLAINT, 3,
        ((SampleOutcome.EDITED, 1), (SampleOutcome.REPLIED, 3)), (-0.95, -0.62), "réclamation",
        EscalationReason.UNSUPPORTED_REQUEST,
    ),
    SampleTopic(
        "gift", Category.PRODUCT_QUESTION, Intent.CONTACT, 5, _BY_PEOPLE, tag="cadeau",
        reason=_MISSING,
    ),
    SampleTopic(
        "showroom", Category.OTHER, Intent.CONTACT, 3, _BY_PEOPLE, reason=_MISSING,
    ),
    SampleTopic(
        "abroad", Category.PRODUCT_QUESTION, Intent.DELIVERY_OPTIONS, 4, _BY_PEOPLE, tag="export",
        reason=_MISSING,
    ),
    SampleTopic(
        "invoice", Category.OTHER, Intent.INVOICE, 3, ((SampleOutcome.EDITED, 1),), tag="facture",
        reason=EscalationReason.LOW_CONFIDENCE, about_order=True,
        template={"fr": "Facture", "en": "Invoice"},
    ),
    SampleTopic(
        "restock", Category.PRODUCT_QUESTION, Intent.STOCK, 3, _BY_PEOPLE, reason=_MISSING,
    ),
    SampleTopic(
        "address", Category.SHIPPING_ISSUE, Intent.CHANGE_ADDRESS, 4,
        ((SampleOutcome.APPROVED, 1),), reason=EscalationReason.LOW_CONFIDENCE, about_order=True,
        template={"fr": "Changement d'adresse", "en": "Change of address"},
    ),
    SampleTopic(
        "callback", Category.OTHER, Intent.CONTACT, 2, ((SampleOutcome.REPLIED, 1),),
        reason=EscalationReason.CUSTOMER_REQUEST,
    ),
    SampleTopic(
        "big_refund", Category.REFUND_REQUEST, Intent.REFUND, 4,
        ((SampleOutcome.APPROVED_TWICE, 1),), (-0.4, 0.0), "retour", _POLICY, about_order=True,
        items=_DEAR, template={"fr": "Remboursement effectué", "en": "Refund made"},
    ),
)  # fmt: skip
"""All topics. `demo/content.py` contains the texts that they cite."""
