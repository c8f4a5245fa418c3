"""Drafts that people wrote in the form of a language model's output: half of them right, and half
with one mistake."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from functools import cache
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from adapters.brain.llm_answer import LlmAnswer, brain_answer
from adapters.brain.llm_prompt import Prompt, prompt_for
from domain.agent.brain import BrainAnswer, BrainRequest, Passage, Verdict
from domain.agent.plan import ActionKind, PlannedAction
from domain.core.money import Money
from domain.integrations.order import Order, OrderState
from domain.integrations.providers import Provider
from evaluation.help_shop import read_articles
from evaluation.sealing import HandRow

DraftKind = Literal[
    "", "reversed", "wrong_state", "invented", "wrong_item", "dropped_condition", "wrong_number",
    "promise", "obeys_attacker",
]  # fmt: skip
_ORDER: Final = "order"
# The names with which the authors signed, for shops whose name is not that of the folder.
_BRANDS: Final = {
    "brindille": "Maison Brindille",
    "cyclades": "Les Cyclades",
    "hearth": "Hearth & Pantry",
}


class DraftSupport(BaseModel):
    """A quote. `source` is the id of an article, or "order"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    quote: str


class DraftPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    support: tuple[DraftSupport, ...] = ()
    calculation: str = ""


class DraftOrder(BaseModel):
    """The order of a draft's case. Amounts are written like "49.00 EUR"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: str
    state: OrderState
    placed_on: date
    total: str
    refundable: str
    refunded: str = ""
    tracking_url: str | None = None
    items: tuple[str, ...] = ()


class DraftCase(HandRow):
    """A draft. `is_right` means that a careful human would send it. `mistake` is the kind of the
    only mistake of a wrong draft, and `why` explains it."""

    shop: str
    language: str
    message: str
    today: date
    order: DraftOrder | None = None
    actions: tuple[ActionKind, ...] = ()
    parts: tuple[DraftPart, ...] = Field(min_length=1)
    is_right: bool
    mistake: DraftKind = ""
    why: str = ""

    @property
    def plan(self) -> tuple[PlannedAction, ...]:
        return tuple(PlannedAction(kind=kind) for kind in self.actions)

    @property
    def request(self) -> BrainRequest:
        """The brain's request for this draft, with all articles of the shop."""
        return BrainRequest(
            text=self.message,
            brand_name=_BRANDS.get(self.shop, self.shop.title()),
            knowledge=_knowledge(self.shop),
            order=_order(self.order) if self.order else None,
            today=self.today,
        )

    def prompt(self) -> Prompt:
        return prompt_for(self.request, likely=(), language=self.language, hides_data=False)

    def said(self, prompt: Prompt) -> LlmAnswer:
        """Return the draft as a model's output for the prompt."""
        keys = {source.citation.id: key for key, source in prompt.sources.items()}
        keys[_ORDER] = _ORDER
        return LlmAnswer.model_validate(
            {
                "category": "other",
                "language": self.language,
                "sentiment": 0,
                "actions": [{"kind": kind} for kind in self.actions],
                "parts": [
                    {
                        "text": part.text,
                        "support": [
                            {"source": keys.get(one.source, one.source), "quote": one.quote}
                            for one in part.support
                        ],
                        "calculation": part.calculation,
                    }
                    for part in self.parts
                ],
                "doubt": "none",
                "confidence": 0.9,
            }
        )

    def answer(self, verdicts: Mapping[str, tuple[Verdict, ...]]) -> BrainAnswer:
        """Return the draft as the brain's answer. `verdicts` are a judge's verdicts on the parts,
        by the draft's id."""
        prompt = self.prompt()
        answer = brain_answer(
            self.said(prompt),
            sources=prompt.sources,
            offered=frozenset(self.actions),
            in_right_language=True,
            model="hand",
            prompt_version="hand",
        )
        if self.id not in verdicts:
            return answer
        parts = tuple(
            part.model_copy(update={"verdict": verdict})
            for part, verdict in zip(answer.parts, verdicts[self.id], strict=True)
        )
        return answer.model_copy(update={"parts": parts})


@cache
def _knowledge(shop: str) -> tuple[Passage, ...]:
    return tuple(
        Passage(id=one.id, title=one.title, body=one.body, language=one.language, rank=0)
        for one in sorted(read_articles(shop), key=lambda one: one.id)
    )


def _order(written: DraftOrder) -> Order:
    return Order(
        integration_id="shop",
        provider=Provider.SHOPIFY,
        id=_ORDER,
        number=written.number,
        customer_email="customer@customer.example",
        state=written.state,
        total=_money(written.total),
        refundable=_money(written.refundable),
        placed_at=datetime.combine(written.placed_on, time(9), UTC),
        tracking_url=written.tracking_url,
        items=written.items,
        refunded=_money(written.refunded) if written.refunded else None,
    )


def _money(written: str) -> Money:
    amount, currency = written.split()
    return Money.parse(amount, currency)
