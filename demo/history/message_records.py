"""The export records for one planned message."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Final

from demo.history.answers import ShopTexts, draft_of, human_text, tracking_url
from demo.history.catalogue import catalogue
from demo.history.events import inbound_of, planned_actions
from demo.history.plan import SampleMessage, SampleTalk
from demo.history.topics import SampleOutcome
from domain.agent.brain import Alternative, Category, Citation
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import (
    ON_ORDERS,
    ActionKind,
    PlannedAction,
    StepOutcome,
    StepState,
)
from domain.agent.policy_decision import PolicyDecision, PolicyReason, Ruling
from domain.agent.thinking_result import Finding
from domain.core.ids import first_ulid
from domain.core.money import Money
from domain.exports.conversation_records import (
    EscalationRecord,
    MessageRecord,
)
from domain.exports.learning_records import RatingRecord
from domain.exports.reply_records import ReplyRecord
from domain.exports.run_record import ActionRecord, EventRecord, RunRecord
from domain.exports.sample_history import OpenReview
from domain.intake.customer_email import customer_key
from domain.intake.event import Channel, UnifiedEvent
from domain.integrations.order import Lookup, LookupState, Order, OrderState
from domain.integrations.providers import Provider
from domain.playbooks.playbook import Playbook
from domain.ratings.rating import RatingChannel
from domain.reviews.escalation import Decision
from domain.runs.conversation import (
    PastEffect,
    PastRun,
)
from domain.runs.run import RunResult, RunStatus, Timings, steps_executed
from domain.runs.teammate_reply import FIRST_STEP, UNDO_FOR, ReplyState

_REVIEW_LASTS: Final = timedelta(hours=72)
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CURRENCY: Final = "EUR"
_STATUSES: Final = {
    SampleOutcome.APPROVED: Decision.APPROVE,
    SampleOutcome.APPROVED_TWICE: Decision.APPROVE,
    SampleOutcome.EDITED: Decision.EDIT,
    SampleOutcome.REPLIED: Decision.REJECT,
    SampleOutcome.UNANSWERED: Decision.EXPIRE,
}
_CONFIDENCE: Final = {
    EscalationReason.LOW_CONFIDENCE: (0.42, 0.66),
    EscalationReason.POLICY_RESTRICTION: (0.86, 0.97),
    EscalationReason.MISSING_KNOWLEDGE: (0.3, 0.3),
    EscalationReason.UNSUPPORTED_REQUEST: (0.2, 0.2),
    EscalationReason.CUSTOMER_REQUEST: (0.2, 0.2),
}
_SURE: Final = (0.84, 0.98)
_TAKEN_FOR: Final = timedelta(hours=36)


class Draws:
    """A generator of ids and small random choices, reproducible by `seed`. The ids are ULIDs for
    the given times."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)  # noqa: S311 - sample data, not a secret

    def id(self, at: datetime) -> str:
        return first_ulid(at)[:10] + "".join(self._random.choices(_ALPHABET, k=16))

    def between(self, low: float, high: float) -> float:
        return round(self._random.uniform(low, high), 2)

    def chance(self, share: float) -> bool:
        return self._random.random() < share


@dataclass(frozen=True, slots=True)
class ShopFacts:
    """The data to which the history refers: the shop's connection, playbooks by channel, texts, and
    the ids and first names of the two reviewers."""

    integration_id: str
    playbooks: Mapping[Channel, Playbook]
    texts: ShopTexts
    members: tuple[tuple[str, str], tuple[str, str]]


@dataclass(slots=True)
class MessageRecords:
    """One message with its run. `event_id` is the id of its event."""

    shop: ShopFacts
    draws: Draws
    talk: SampleTalk
    exchange: SampleMessage
    event_id: str
    number: int
    run_id: str = field(init=False)
    review_id: str = field(init=False)
    reply_id: str = field(init=False)
    unified: UnifiedEvent = field(init=False)
    event: EventRecord = field(init=False)
    plan: tuple[PlannedAction, ...] = field(init=False)
    draft: str = field(init=False)
    confidence: float = field(init=False)

    def __post_init__(self) -> None:
        at, one = self.exchange.at, self.exchange
        self.run_id, self.review_id = self.draws.id(at), self.draws.id(self.first_result_at)
        self.reply_id = self.draws.id(at if one.decided_at is None else one.decided_at)
        self.event, self.unified = inbound_of(self.talk, one, self.event_id, self.number)
        self.plan = planned_actions(self.talk, one, self.unified, self._integration)
        self.draft = draft_of(self.talk, one, self.shop.texts)
        alone = one.outcome.is_alone or one.topic.reason is None
        self.confidence = self.draws.between(
            *(_SURE if alone else _CONFIDENCE[one.topic.reason or EscalationReason.LOW_CONFIDENCE])
        )

    @property
    def _integration(self) -> str:
        return self.shop.integration_id

    @property
    def first_result_at(self) -> datetime:
        return self.exchange.at + timedelta(milliseconds=self.exchange.took_ms)

    @property
    def finished_at(self) -> datetime | None:
        """Return the time when the run finished, or None if human agents handle the message."""
        if self.exchange.outcome.is_alone:
            return self.first_result_at
        if self.status is RunStatus.NEEDS_REVIEW or self.exchange.decided_at is None:
            return None
        return self.exchange.decided_at + timedelta(seconds=1)

    @property
    def status(self) -> RunStatus:
        one = self.exchange.outcome
        decision = _STATUSES.get(one)
        done = one.is_alone or (decision is not None and decision.executes)
        return RunStatus.COMPLETED if done else RunStatus.NEEDS_REVIEW

    @property
    def words(self) -> str:
        """Return the text that the run sent, or an empty text."""
        one = self.exchange
        if one.outcome is SampleOutcome.CLOSED or self.status is RunStatus.NEEDS_REVIEW:
            return ""
        if one.outcome is SampleOutcome.EDITED:
            return human_text(self.talk, one, self.shop.members[one.member][1])
        return self.draft

    def messages(self) -> list[MessageRecord]:
        customer = self.talk.customer
        key = customer_key(customer.email) if customer else None
        inbound = MessageRecord(
            id=self.draws.id(self.exchange.at),
            event_id=self.event_id,
            reply_id=None,
            direction="inbound",
            channel=self.talk.channel,
            author="customer",
            customer_key=key,
            body=self.unified.text,
            created_at=self.exchange.at,
        )
        at, reply = self.finished_at, self._reply_text
        if self.words and at is not None:
            by_human = self.exchange.outcome is SampleOutcome.EDITED
            sent = MessageRecord(
                id=self.draws.id(at),
                event_id=self.event_id,
                reply_id=None,
                direction="outbound",
                channel=self.talk.channel,
                author="human" if by_human else "agent",
                customer_key=key,
                body=self.words,
                created_at=at,
            )
            return [inbound, sent]
        if reply and self.exchange.decided_at is not None:
            at = self._reply_sent_at(self.exchange.decided_at)
            written = MessageRecord(
                id=self.draws.id(at),
                event_id=None,
                reply_id=self.reply_id,
                direction="outbound",
                channel=self.talk.channel,
                author="human",
                customer_key=key,
                body=reply,
                created_at=at,
            )
            return [inbound, written]
        return [inbound]

    @property
    def _reply_text(self) -> str:
        one = self.exchange
        if one.outcome is not SampleOutcome.REPLIED:
            return ""
        return human_text(self.talk, one, self.shop.members[one.member][1])

    def _reply_sent_at(self, decided: datetime) -> datetime:
        return decided + timedelta(seconds=40) + UNDO_FOR

    def member_reply(self, talk_id: str) -> ReplyRecord | None:
        """Return the member's reply in the conversation, or None."""
        decided = self.exchange.decided_at
        if not self._reply_text or decided is None:
            return None
        sent = self._reply_sent_at(decided)
        return ReplyRecord(
            id=self.reply_id,
            conversation_id=talk_id,
            event_id=self.event_id,
            run_id=self.run_id,
            step=FIRST_STEP,
            author=self.shop.members[self.exchange.member][0],
            body=self._reply_text,
            state=ReplyState.SENT,
            error_code=None,
            created_at=sent - UNDO_FOR,
            send_at=sent,
            finished_at=sent,
        )

    def run(self) -> RunRecord:
        one = self.exchange
        playbook = self.shop.playbooks[self.talk.channel]
        is_closed = one.outcome is SampleOutcome.CLOSED
        category = Category.OTHER if is_closed else one.topic.category
        reason = None if one.outcome.is_alone else one.topic.reason
        held = reason is EscalationReason.POLICY_RESTRICTION
        steps = self._steps()
        first = RunStatus.COMPLETED if one.outcome.is_alone else RunStatus.NEEDS_REVIEW
        return RunRecord(
            id=self.run_id,
            event_id=self.event_id,
            playbook_id=playbook.id,
            playbook_version=playbook.version,
            status=self.status,
            classification=category,
            confidence=self.confidence,
            alternatives=(
                Alternative(category=Category.OTHER, confidence=round(1 - self.confidence, 2)),
            ),
            language=self.talk.language,
            draft=self.draft,
            response=self.words,
            answer=RunResult(
                event_id=self.event_id,
                run_id=self.run_id,
                status=first,
                classification=category,
                confidence=self.confidence,
                response=self.words if one.outcome.is_alone else "",
                steps_executed=steps_executed(steps) if one.outcome.is_alone else 0,
                duration_ms=one.took_ms,
            ),
            doubt=None if held else reason,
            hold=reason if held else None,
            plan=self.plan,
            steps=steps,
            citations=self._citations(),
            sentiment=one.mood,
            lookup=self._lookup(),
            findings=self._findings(),
            verdicts=self._verdicts(),
            guard_findings=(),
            handoff_reason=reason,
            model="embedded",
            tokens_in=0,
            tokens_out=0,
            cost_micros=0,
            timings=Timings(
                normalize=3.0,
                lookup=5.0 if one.order else 0,
                brain=max(20.0, one.took_ms * 0.6),
                execute=9.0 if steps else 0,
            ),
            duration_ms=one.took_ms,
            error_code=None,
            intent=Intent.THANKS if is_closed else one.topic.intent,
            sensitive=None,
            prompt_version=None,
            model_fault=None,
            joined_review=None,
            received_at=one.at,
            answered_at=self.first_result_at,
            finished_at=self.finished_at,
            event=self.event,
            actions=self._actions(),
        )

    def _steps(self) -> tuple[StepOutcome, ...]:
        if self.status is RunStatus.NEEDS_REVIEW:
            return ()
        return tuple(StepOutcome(kind=one.kind, state=StepState.DONE) for one in self.plan)

    def _order(self) -> Order | None:
        planned, customer = self.exchange.order, self.talk.customer
        if planned is None or customer is None:
            return None
        total = Money(minor=planned.minor, currency=_CURRENCY)
        article = catalogue(self.talk.language).items[planned.item]
        state = OrderState.DELIVERED if self.exchange.topic.refunds else OrderState.SHIPPED
        if self.exchange.topic.intent is Intent.CHANGE_ADDRESS:
            state = OrderState.OPEN
        return Order(
            integration_id=self._integration,
            provider=Provider.DEMO_SHOP,
            id=planned.number,
            number=planned.number,
            customer_email=customer.email,
            state=state,
            total=total,
            refundable=total,
            placed_at=planned.placed_at,
            tracking_url=tracking_url(planned.number),
            items=(f"1 × {article.partition(' ')[2]}",),
        )

    def _lookup(self) -> Lookup | None:
        order = self._order()
        if order is None:
            return None
        return Lookup(
            state=LookupState.FOUND, order=order, number=order.number, looked_up_at=self.exchange.at
        )

    def _citations(self) -> tuple[Citation, ...]:
        if self.exchange.outcome is SampleOutcome.CLOSED:
            return ()
        cited = self.shop.texts.cited(self.exchange.topic, self.talk.language)
        order = self._order()
        found = (cited,) if cited else ()
        if order is None or not found:
            return found
        return (*found, Citation(kind="order", id=order.id, title=f"#{order.number}"))

    def _findings(self) -> tuple[Finding, ...]:
        return tuple(
            Finding(id=one.id, title=one.title, rank=0.6)
            for one in self._citations()
            if one.kind == "knowledge"
        )

    def _verdicts(self) -> tuple[PolicyDecision, ...]:
        twice = self.exchange.topic.reason is EscalationReason.POLICY_RESTRICTION
        return tuple(
            PolicyDecision(
                kind=one.kind, ruling=Ruling.NEEDS_SECOND, reason=PolicyReason.ABOVE_PER_ACTION
            )
            if twice and one.kind in ON_ORDERS
            else PolicyDecision(kind=one.kind, ruling=Ruling.ALLOWED)
            for one in self.plan
        )

    def _actions(self) -> tuple[ActionRecord, ...]:
        """Return the ledger entries: the refund, and each reply that was sent to another system."""
        at = self.finished_at
        if at is None or self.exchange.outcome is SampleOutcome.CLOSED:
            return ()
        return tuple(
            self._action(step, one, at)
            for step, one in enumerate(self.plan)
            if one.kind is not ActionKind.REPLY
        )

    def _action(self, step: int, one: PlannedAction, at: datetime) -> ActionRecord:
        order, customer = self._order(), self.talk.customer
        is_refund = one.kind is ActionKind.REFUND
        entry = self.draws.id(at)
        reference = f"demo-{entry.lower()}" if is_refund else f"<{entry.lower()}@{_HOST}>"
        return ActionRecord(
            id=entry,
            step=step,
            round=0 if self.exchange.outcome.is_alone else 1,
            action=one.kind,
            state="done",
            detail="",
            integration_id=one.integration_id,
            order_key=order.key if is_refund and order else None,
            order_number=order.number.lower() if is_refund and order else None,
            customer_key=customer_key(customer.email) if customer else None,
            amount=one.amount.minor if one.amount else None,
            currency=one.amount.currency if one.amount else None,
            reference=reference,
            ticket_id=one.ticket_id,
            planned_at=at - timedelta(milliseconds=60),
            finished_at=at,
        )

    def review(self) -> EscalationRecord | None:
        """Return the decided or expired review, or None."""
        one = self.exchange
        decision, decided = _STATUSES.get(one.outcome), one.decided_at
        if decision is None or decided is None or one.topic.reason is None:
            return None
        member = self.shop.members[one.member][0]
        other = self.shop.members[1 - one.member][0]
        twice = one.outcome is SampleOutcome.APPROVED_TWICE
        return EscalationRecord(
            id=self.review_id,
            run_id=self.run_id,
            round=0,
            status=decision.status,
            reason=one.topic.reason,
            urgent=False,
            sensitive=None,
            draft=self.draft,
            plan=self.plan,
            latest_event_id=None,
            claimed_by=None,
            claimed_at=None,
            needs_second=twice,
            first_approved_by=other if twice else None,
            first_approved_at=one.first_approved_at,
            amount=one.order.minor if twice and one.order else None,
            currency=_CURRENCY if twice else None,
            decided_by=None if decision is Decision.EXPIRE else member,
            decided_at=decided,
            decision=decision,
            edited_text=self.words if decision is Decision.EDIT else None,
            note=one.note or None,
            expires_at=self.first_result_at + _REVIEW_LASTS,
            created_at=self.first_result_at,
        )

    def open_review(self) -> OpenReview:
        reason = self.exchange.topic.reason or EscalationReason.LOW_CONFIDENCE
        return OpenReview(
            event_id=self.event_id,
            run_id=self.run_id,
            review_id=self.review_id,
            reason=reason,
            at=self.first_result_at,
            expires_at=self.first_result_at + _REVIEW_LASTS,
        )

    def rating(self) -> RatingRecord | None:
        score, at = self.exchange.score, self.finished_at
        is_asked = self.talk.channel in _RATED
        if score is None or at is None or not is_asked:
            return None
        rated = at + timedelta(minutes=2)
        return RatingRecord(
            id=self.draws.id(rated),
            run_id=self.run_id,
            score=score,
            comment=self.exchange.comment,
            channel=_RATED[self.talk.channel],
            created_at=rated,
            updated_at=None,
        )

    def past(self) -> PastRun:
        """Return the outcome, for the agent's memory of the customer."""
        one, decision = self.exchange, _STATUSES.get(self.exchange.outcome)
        effects = tuple(
            PastEffect(kind=it.kind, state=StepState.DONE, amount=it.amount)
            for it in self.plan
            if it.kind in ON_ORDERS and self.status is RunStatus.COMPLETED
        )
        return PastRun(
            day=one.at.date(),
            status=self.status,
            classification=self.run_category,
            order_number=one.order.number if one.order else None,
            review=decision.status if decision else None,
            replied=bool(self.words),
            effects=effects,
        )

    @property
    def run_category(self) -> Category:
        is_closed = self.exchange.outcome is SampleOutcome.CLOSED
        return Category.OTHER if is_closed else self.exchange.topic.category


_HOST: Final = "maison-lavande.example"
_RATED: Final = {Channel.EMAIL: RatingChannel.MAIL, Channel.WIDGET: RatingChannel.WIDGET}
