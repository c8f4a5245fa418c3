"""Check the parts of an answer that a language model composed against their quotes."""

from collections.abc import Sequence, Set
from functools import cached_property
from typing import Final

from domain.agent.brain import AnswerPart, BrainRequest, Verdict
from domain.agent.grounding.assertion import sentences
from domain.agent.grounding.claim_phrasings import ClaimKind, ClaimMatter
from domain.agent.grounding.claims import StatedClaim, claims, done_by, unbacked_claims
from domain.agent.grounding.computation import calculation, numbers_in_words
from domain.agent.grounding.facts import Fact, FactKind, given
from domain.agent.grounding.order_statements import misstates
from domain.agent.guard_finding import FindingReason
from domain.agent.plan import REPLIES, ActionKind
from domain.intake.order_number import find_order_numbers
from domain.integrations.order import Order, folded_number

# Forged messages must not put a link, an address, a phone number or an account into the shop's
# answer. Other numbers of the customer always count.
_NEVER_REPEATED: Final = frozenset(
    {FactKind.LINK, FactKind.ADDRESS, FactKind.PHONE, FactKind.NUMBER}
)
_FROM_RULES: Final = frozenset({ClaimKind.DISCOUNT, ClaimKind.PROMISE})
_HARMLESS: Final = frozenset({ClaimMatter.DELIVERY, ClaimMatter.MESSAGE})
_TODAY: Final = "day:today"
_REJECTED: Final = {
    Verdict.UNSUPPORTED: FindingReason.NOT_SUPPORTED,
    Verdict.CONTRADICTED: FindingReason.CONTRADICTED,
}


class PartGrounds:
    """A part of an answer with the fact keys that support it. `said` are the fact keys that the
    customer states, and `given_keys` those of the order and of the earlier calculations."""

    def __init__(
        self, part: AnswerPart, request: BrainRequest, said: Set[str], given_keys: Set[str]
    ) -> None:
        self._part = part
        self._request = request
        self._said = frozenset(said)
        self._given = frozenset(given_keys)

    @cached_property
    def calculated(self) -> frozenset[str]:
        """The fact keys of a correct calculation whose operands are known, or none."""
        done = calculation(self._part.calculation)
        if done is None:
            return frozenset()
        words = numbers_in_words("\n".join((self._request.text, *self._quotes)))
        today = self._request.today
        known = self._sourced | self._written | words
        todays = given(today.isoformat()) if today else frozenset()
        if not done.is_known(known | todays, is_judged=self._is_judged):
            return frozenset()
        keys = done.result.union(*done.operands)
        return keys | {_TODAY} if keys & todays else keys

    def support(self, fact: Fact) -> bool:
        """Return True if the quotes, the order, the customer or a correct calculation state the
        fact.

        If a judge has accepted the part with its quotes, the customer's own amounts and periods
        count too, unless the part promises or grants something. A courtesy may repeat the
        customer's days, as in "I am sorry that it took until Friday".
        """
        known = self._sourced | self._said
        if fact.needs & (known | self.calculated):
            return True
        values = self.calculated
        is_regret = self._part.verdict is Verdict.COURTESY and fact.kind is FactKind.DAY
        if is_regret or (self._may_repeat and fact.kind not in _NEVER_REPEATED):
            values |= self._written
        return bool(fact.needs & values) or _has_known_unit(fact, values, known | self._written)

    def doubt(self, sentence: str, plan_kinds: frozenset[ActionKind]) -> FindingReason | None:
        """Return the reason to reject a sentence of this part that states something, or None."""
        part = self._part
        rejected = _REJECTED.get(part.verdict) if part.verdict else None
        if rejected or part.is_misquoted:
            return rejected or FindingReason.MISQUOTED
        if self._names_other_order(sentence):
            return FindingReason.CONTRADICTED
        if any(misstates(sentence, one, self._done(one, plan_kinds)) for one in self._cited):
            return FindingReason.CONTRADICTED
        if part.supports or part.verdict is Verdict.COURTESY or _is_planned(sentence, plan_kinds):
            return None
        # A judge may accept the report of an action, such as a note, without a source.
        is_report = part.verdict is Verdict.SUPPORTED and plan_kinds - REPLIES
        return None if is_report else FindingReason.NOT_CITED

    def excuses(self, claim: StatedClaim) -> bool:
        """Return True if a judge has accepted the claim with its quotes.

        Promises and discounts may follow from a quoted rule. That money was moved or an order was
        cancelled, that the law grants something, or that we are at fault, always needs more.
        """
        if not self._is_judged:
            return False
        is_refunded = any(one.refunded and one.refunded.minor > 0 for one in self._cited)
        if is_refunded and claim.says_refunded:
            return True
        return claim.kind in _FROM_RULES or claim.matter in _HARMLESS

    @cached_property
    def _cited(self) -> tuple[Order, ...]:
        """The orders that the part cites."""
        cited = {one.citation.id for one in self._part.supports if one.citation.kind == "order"}
        return tuple(one for one in self._request.orders if one.id in cited)

    def _names_other_order(self, sentence: str) -> bool:
        """Return True if the sentence names an order that the part does not cite, although the part
        cites another one."""
        if not self._cited:
            return False
        cited = {one.folded_number for one in self._cited}
        return any(folded_number(one) not in cited for one in find_order_numbers(sentence))

    def _done(self, order: Order, plan_kinds: frozenset[ActionKind]) -> frozenset[ClaimMatter]:
        """Return what the plan does to an order. It acts only on the looked-up order."""
        return done_by(plan_kinds) if order == self._request.order else frozenset()

    @cached_property
    def _written(self) -> frozenset[str]:
        """The fact keys of the customer's message, of any kind."""
        return self._said | given(self._request.text)

    @cached_property
    def _sourced(self) -> frozenset[str]:
        texts = (text for one in self._part.supports for text in (one.quote, one.citation.title))
        keys = frozenset(key for text in (*texts, self._request.brand_name) for key in given(text))
        return keys | self._given

    @property
    def _is_judged(self) -> bool:
        return self._part.verdict is Verdict.SUPPORTED and bool(self._part.supports)

    @cached_property
    def _may_repeat(self) -> bool:
        return self._is_judged and not claims(self._part.text)

    @property
    def _quotes(self) -> Sequence[str]:
        return [one.quote for one in self._part.supports]


def _has_known_unit(fact: Fact, values: frozenset[str], known: frozenset[str]) -> bool:
    """Return True if the fact is one of the numbers in `values`, with a currency or a unit of time
    that `known` contains too."""
    if fact.gives.isdisjoint(values):
        return False
    units = {(key.partition(":")[0], key.rpartition(" ")[2]) for key in known if " " in key}
    return any((key.partition(":")[0], key.rpartition(" ")[2]) in units for key in fact.needs)


def by_sentence(parts: Sequence[AnswerPart]) -> dict[str, AnswerPart]:
    """Return the part of each sentence."""
    return {sentence: part for part in parts for sentence in sentences(part.text)}


def _is_planned(sentence: str, plan_kinds: frozenset[ActionKind]) -> bool:
    """Return True if the sentence only reports an action of the plan."""
    return bool(claims(sentence)) and not unbacked_claims(sentence, plan_kinds, ())
