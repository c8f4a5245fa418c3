"""Check that each statement in an answer has a source, regardless of the brain.

Sources are the cited texts, the looked-up order and the merchant's name. The customer's words
support order numbers, dates and addresses, but no price, duration or promise: "you owe me 500 EUR"
is not evidence.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cached_property
from typing import Final

from domain.agent.brain import AnswerPart, BrainAnswer, BrainRequest, Citation
from domain.agent.escalation_reason import EscalationReason
from domain.agent.grounding.assertion import asserts, is_question, sentences
from domain.agent.grounding.claim_phrasings import ClaimKind
from domain.agent.grounding.claims import StatedClaim, claims, unbacked_claims
from domain.agent.grounding.facts import Fact, FactKind, facts, given, money_key
from domain.agent.grounding.parts import PartGrounds, by_sentence
from domain.agent.guard_finding import FindingReason, GuardFinding
from domain.agent.plan import ACTIONS, ActionKind, PlannedAction
from domain.agent.template import fill, names
from domain.integrations.order import Order, OrderState

_SHOWN: Final = 80
# The beginning of a placeholder that was copied from a template without its value.
_PLACEHOLDER_MARK: Final = "{{"
_ABOUT_ACTIONS: Final = frozenset({ClaimKind.FINISHED, ClaimKind.PROMISE})
# Kinds of facts for which the customer's own words are a sufficient source.
_REPEATED: Final = frozenset({FactKind.NUMBER, FactKind.DATE, FactKind.ADDRESS, FactKind.PHONE})
# A forged email must not put another address or phone number into the shop's answer.
_CONTACTS: Final = frozenset({FactKind.ADDRESS, FactKind.PHONE})
_LONG_DIGITS: Final = 9


class _Grounds:
    """The fact keys that support an answer, computed when they are needed first. `texts` are the
    texts of the cited sources."""

    def __init__(self, answer: BrainAnswer, request: BrainRequest) -> None:
        self.texts = tuple(_texts(answer.citations, request))
        self.brand_name = request.brand_name
        self._request = request
        self._parts = by_sentence(answer.parts)

    def support(self, fact: Fact) -> bool:
        # Parse the customer's words only if necessary, because most facts are in the sources.
        return bool(fact.needs & self._sourced or fact.needs & self._said)

    def of_sentence(self, sentence: str) -> PartGrounds:
        """Return the grounds of the sentence's part. A sentence of no part has no support."""
        part = self._parts.get(sentence)
        if part is None:
            return self._of_part(AnswerPart(text=sentence), frozenset())
        return self._of_parts[part]

    @cached_property
    def _of_parts(self) -> dict[AnswerPart, PartGrounds]:
        """The grounds of each part. An operand may be the result of an earlier part."""
        found: dict[AnswerPart, PartGrounds] = {}
        calculated: frozenset[str] = frozenset()
        for part in self._parts.values():
            if part not in found:
                found[part] = self._of_part(part, calculated)
                calculated |= found[part].calculated
        return found

    def _of_part(self, part: AnswerPart, calculated: frozenset[str]) -> PartGrounds:
        # The looked-up order's facts support every part, except one about another order.
        others = {("order", one.id) for one in self._request.other_orders}
        cited = {(one.citation.kind, one.citation.id) for one in part.supports}
        order = self._request.order if cited.isdisjoint(others) else None
        given_keys = _of_order(order) | calculated
        return PartGrounds(part, self._request, self._said, given_keys)

    @property
    def has_parts(self) -> bool:
        return bool(self._parts)

    @cached_property
    def _sourced(self) -> frozenset[str]:
        known = (key for text in (*self.texts, self.brand_name) for key in given(text))
        return frozenset(known) | _of_order(self._request.order)

    @cached_property
    def _said(self) -> frozenset[str]:
        return _said(self._request)


def guard(
    answer: BrainAnswer, plan: Sequence[PlannedAction], request: BrainRequest
) -> Callable[[str], tuple[GuardFinding, ...]]:
    """Return a function that checks a text with the answer's sources and plan. It returns the words
    of the text that have no source, and its claims that nothing backs."""
    grounds = _Grounds(answer, request)
    kinds = frozenset(action.kind for action in plan)

    def findings(text: str) -> tuple[GuardFinding, ...]:
        claims = _unbacked(answer.model_copy(update={"response": text}), plan, request)
        found = {
            **_statements(text, grounds, kinds),
            **{one.written: FindingReason(one.kind.value) for one in claims},
        }
        return tuple(GuardFinding(words=words, reason=reason) for words, reason in found.items())

    return findings


def unsupported(
    answer: BrainAnswer, plan: Sequence[PlannedAction], request: BrainRequest
) -> tuple[str, ...]:
    """Return the folded text of the statements in an answer that have no source. The result is
    empty if the answer is grounded.

    If the answer cites none of this request's sources, every sentence that states a fact is listed.
    The parts of a model's answer are compared with their quotes. Of other answers, only facts are
    compared, not meanings.
    """
    kinds = frozenset(action.kind for action in plan)
    return tuple(_statements(answer.response, _Grounds(answer, request), kinds))


def _statements(
    response: str, grounds: _Grounds, plan_kinds: frozenset[ActionKind]
) -> dict[str, FindingReason]:
    """Return the statements without a source, each with the reason."""
    found: dict[str, FindingReason] = {}
    for sentence in sentences(response):
        asks = is_question(sentence)
        part = grounds.of_sentence(sentence) if grounds.has_parts else None
        for fact in facts(sentence):
            # The "today" in "How can I help you today?" does not state a date.
            if asks and fact.kind is FactKind.DAY:
                continue
            if not (part or grounds).support(fact):
                found[fact.written] = FindingReason.NO_SOURCE
        if _PLACEHOLDER_MARK in sentence:
            found[sentence[:_SHOWN]] = FindingReason.PLACEHOLDER
        elif not asserts(sentence, grounds.brand_name):
            continue
        elif part is not None:
            if reason := part.doubt(sentence, plan_kinds):
                found[sentence[:_SHOWN]] = reason
        elif not grounds.texts:
            found[sentence[:_SHOWN]] = FindingReason.NOT_CITED
    return found


def claim_doubt(
    answer: BrainAnswer, plan: Sequence[PlannedAction], request: BrainRequest
) -> EscalationReason | None:
    """Return the reason why a human must review the answer's claims, or None if the plan or a cited
    source backs all claims.

    A template's claims need no backing if a brain without a prompt cites it. An order that the shop
    reports as cancelled backs the claim of its cancellation.
    """
    unbacked = {claim.kind for claim in _unbacked(answer, plan, request)}
    if not unbacked:
        return None
    if unbacked.isdisjoint(_ABOUT_ACTIONS):
        return EscalationReason.MISSING_KNOWLEDGE
    return EscalationReason.UNSUPPORTED_REQUEST


def _unbacked(
    answer: BrainAnswer, plan: Sequence[PlannedAction], request: BrainRequest
) -> tuple[StatedClaim, ...]:
    if answer.prompt_version is None and any(one.kind == "template" for one in answer.citations):
        return ()
    kinds = frozenset(action.kind for action in plan)
    sources = tuple(_texts(_without_promises(answer.citations, kinds, request), request))
    cancelled = request.order is not None and request.order.state is OrderState.CANCELLED
    found = unbacked_claims(answer.response, kinds, sources)
    excused = _excused(answer, request) if found and answer.parts else frozenset()
    return tuple(
        claim
        for claim in found
        if claim not in excused and not (cancelled and claim.says_cancelled)
    )


def _excused(answer: BrainAnswer, request: BrainRequest) -> frozenset[StatedClaim]:
    """Return the claims that a judge has accepted with their quotes."""
    grounds = _Grounds(answer, request)
    return frozenset(
        claim
        for sentence in by_sentence(answer.parts)
        for claim in claims(sentence)
        if grounds.of_sentence(sentence).excuses(claim)
    )


def _without_promises(
    sources: Iterable[Citation], kinds: Set[ActionKind], request: BrainRequest
) -> Iterator[Citation]:
    """Yield the citations, except those of templates that promise an action outside the plan. The
    text of such a template does not support any claim."""
    absent = {
        spec.promise.placeholder
        for spec in ACTIONS.values()
        if spec.promise and spec.kind not in kinds
    }
    promising = {one.id for one in request.templates if not absent.isdisjoint(names(one.body))}
    return (one for one in sources if one.kind != "template" or one.id not in promising)


def _texts(sources: Iterable[Citation], request: BrainRequest) -> Iterator[str]:
    """Yield the texts of the cited sources. Citations of sources that are not in the request are
    ignored."""
    values = {**_sourced_fields(request), "brand_name": request.brand_name}
    cited = {(source.kind, source.id) for source in sources}
    for passage in {one.id: one for one in (*request.knowledge, *request.passages)}.values():
        if ("knowledge", passage.id) in cited:
            yield f"{passage.title}\n{passage.body}"
    for template in request.templates:
        if ("template", template.id) in cited:
            framed = {**values, **request.frame.values(template.language)}
            yield fill(template.body, framed).text
    yield from (one.number for one in request.orders if ("order", one.id) in cited)


def _sourced_fields(request: BrainRequest) -> dict[str, str]:
    """Return the fields that fill a cited template when it is used as a source. If the caller's
    links are not trusted, fields with links are omitted, because a link must not be its own
    source."""
    if request.trusts_links:
        return request.fields
    return {name: text for name, text in request.fields.items() if not _has_link(text)}


def _has_link(text: str) -> bool:
    return any(fact.kind is FactKind.LINK for fact in facts(text))


def _of_order(order: Order | None) -> frozenset[str]:
    """Return the order's fact keys, except those in its note, because the note's author is
    unknown."""
    if order is None:
        return frozenset()
    as_of = f"{order.told_at:%Y-%m-%d %H:%M}" if order.told_at else ""
    texts = (order.number, order.placed_at.date().isoformat(), order.tracking_url or "", as_of)
    sums = (order.total, order.refundable, order.refunded)
    money = {money_key(one.decimal(), one.currency) for one in sums if one is not None}
    return frozenset(key for text in (*texts, *order.items) for key in given(text)) | money


def _said(request: BrainRequest) -> frozenset[str]:
    """Return the fact keys stated by the customer, or supplied by the caller for the customer."""
    repeated = _REPEATED - _CONTACTS if request.is_claim else _REPEATED
    customers = (turn.body for turn in request.turns if turn.author == "customer")
    texts = (request.subject or "", request.text, *customers, *request.fields.values())
    said = (fact for text in texts for fact in facts(text) if fact.kind in repeated)
    return frozenset(
        key
        for fact in said
        if not (request.is_claim and fact.kind is FactKind.NUMBER and _is_long(fact.written))
        for key in fact.gives
    )


def _is_long(number: str) -> bool:
    """Return True for a number that may be a phone number, an account or a card."""
    return sum(mark.isdecimal() for mark in number) >= _LONG_DIGITS
