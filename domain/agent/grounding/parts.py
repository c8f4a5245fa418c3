"""Check the parts of an answer that a language model composed against their quotes."""

from collections.abc import Sequence, Set
from functools import cached_property
from typing import Final

from domain.agent.brain import AnswerPart, BrainRequest, Verdict
from domain.agent.grounding.assertion import sentences
from domain.agent.grounding.claims import claims, unbacked_claims
from domain.agent.grounding.computation import calculation, numbers_in_words
from domain.agent.grounding.facts import Fact, given
from domain.agent.grounding.meaning import difference, misstates
from domain.agent.guard_finding import FindingReason
from domain.agent.plan import ActionKind

_REJECTED: Final = {
    Verdict.UNSUPPORTED: FindingReason.NOT_SUPPORTED,
    Verdict.CONTRADICTED: FindingReason.CONTRADICTED,
}


class PartGrounds:
    """A part of an answer with the fact keys that support it.

    `language` is the language of the answer. `said` are the fact keys that the customer states,
    and `order` those of the order.
    """

    def __init__(
        self,
        part: AnswerPart,
        language: str,
        request: BrainRequest,
        said: Set[str],
        order: Set[str],
    ) -> None:
        self._part = part
        self._language = language
        self._request = request
        self._said = frozenset(said)
        self._order = frozenset(order)

    def support(self, fact: Fact) -> bool:
        """Return True if the quotes, the order, the customer or a correct calculation state the
        fact."""
        known = self._sourced | self._said
        return bool(fact.needs & known) or self._is_calculated(fact)

    def doubt(self, sentence: str, plan_kinds: frozenset[ActionKind]) -> FindingReason | None:
        """Return the reason to reject a sentence of this part that states something, or None."""
        part = self._part
        rejected = _REJECTED.get(part.verdict) if part.verdict else None
        if rejected or part.is_misquoted:
            return rejected or FindingReason.MISQUOTED
        order = self._request.order
        if order is not None and self._cites_order and misstates(sentence, order):
            return FindingReason.CONTRADICTED
        if part.verdict is Verdict.COURTESY or _is_planned(sentence, plan_kinds):
            return None
        if not part.supports:
            return FindingReason.NOT_CITED
        is_judged = part.verdict is Verdict.SUPPORTED
        return None if is_judged or self._cites_order else self._difference(sentence)

    def _difference(self, sentence: str) -> FindingReason | None:
        supports = self._part.supports
        ids = {one.citation.id for one in supports}
        passages = (*self._request.knowledge, *self._request.passages)
        languages = {one.language for one in passages if one.id in ids}
        languages |= {one.language for one in self._request.templates if one.id in ids}
        return difference(
            sentence,
            [one.quote for one in supports],
            [*(one.citation.title for one in supports), self._request.text],
            same_language=languages == {self._language},
        )

    @cached_property
    def _cites_order(self) -> bool:
        return any(one.citation.kind == "order" for one in self._part.supports)

    @cached_property
    def _sourced(self) -> frozenset[str]:
        texts = (text for one in self._part.supports for text in (one.quote, one.citation.title))
        keys = frozenset(key for text in (*texts, self._request.brand_name) for key in given(text))
        return keys | self._order

    def _is_calculated(self, fact: Fact) -> bool:
        done = calculation(self._part.calculation)
        if done is None:
            return False
        today = self._request.today
        known = self._sourced | self._said | (given(today.isoformat()) if today else frozenset())
        words = numbers_in_words("\n".join((self._request.text, *self._quotes)))
        if not done.is_known(known | words):
            return False
        return bool(fact.needs & done.result) or self._has_known_unit(fact, done.result, known)

    @property
    def _quotes(self) -> Sequence[str]:
        return [one.quote for one in self._part.supports]

    @staticmethod
    def _has_known_unit(fact: Fact, result: frozenset[str], known: frozenset[str]) -> bool:
        """Return True if the fact is the calculated number, with a currency or a unit of time that
        an operand has too."""
        if fact.gives.isdisjoint(result):
            return False
        units = {(key.partition(":")[0], key.rpartition(" ")[2]) for key in known if " " in key}
        return any((key.partition(":")[0], key.rpartition(" ")[2]) in units for key in fact.needs)


def by_sentence(parts: Sequence[AnswerPart]) -> dict[str, AnswerPart]:
    """Return the part of each sentence."""
    return {sentence: part for part in parts for sentence in sentences(part.text)}


def _is_planned(sentence: str, plan_kinds: frozenset[ActionKind]) -> bool:
    """Return True if the sentence only reports an action of the plan."""
    return bool(claims(sentence)) and not unbacked_claims(sentence, plan_kinds, ())
