"""Create a case from a real run, without personal data. The case expects the outcome of the run."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from domain.agent.brain import Category, Citation, Turn
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind
from domain.cases.anonymized import MadeUpPerson, anonymized, made_up_numbers
from domain.cases.case import MAX_CASE_NAME, MAX_PHRASES, CaseExpectation, CaseSpec
from domain.cases.verdict_on_case import ORDER_SOURCE, not_planned
from domain.core.errors import InvalidInput
from domain.core.plain_text import clean_line
from domain.intake.event import UnifiedEvent
from domain.intake.order_number import find_order_numbers, same_once
from domain.integrations.order import Lookup, LookupState, Order
from domain.reviews.escalation import EscalationStatus
from domain.runs.conversation import MAX_TURN_CHARS
from domain.runs.run import RunStatus
from domain.simulation.outcome import OutcomeStatus
from domain.simulation.scenario import (
    MAX_MESSAGE,
    MAX_MESSAGES,
    Scenario,
    ScenarioCustomer,
    ScenarioMessage,
    ScenarioOrder,
)

_FRESH: Final = timedelta(days=14)
"""The maximum age of an order without a date in the case. Each try gives it the default age. An
older order keeps its date."""

_NUMBER: Final = "7001"
_LINK: Final = "https://example.com/lien"
_LINE: Final = 500
_NAME_WORDS: Final = 60
_FIELDS: Final = 50
_FIELD: Final = re.compile("[A-Za-z][A-Za-z0-9_]{0,63}")
# Fields that the scenario contains elsewhere, and fields that identify the customer. These fields
# are not copied to the case.
_OTHERWISE_SAID: Final = ("order_number", "customer", "email", "name", "phone", "address", "url")
# An approval overrides these escalation reasons because a reviewer may have information that the
# agent lacks. Reasons from rules still apply.
_DOUBTS: Final = frozenset(
    {
        EscalationReason.LOW_CONFIDENCE,
        EscalationReason.MISSING_KNOWLEDGE,
        EscalationReason.UNSUPPORTED_REQUEST,
    }
)


@dataclass(frozen=True, slots=True)
class RunForCase:
    """The parts of a run from which a case is created. `turns` are the thread's earlier messages,
    oldest first. `decision` and `actions` come from the latest review. Without a review, `actions`
    are the run's plan."""

    run_id: str
    event: UnifiedEvent
    event_type: str
    source: str | None
    received_at: datetime
    turns: tuple[Turn, ...]
    lookup: Lookup | None
    status: RunStatus
    classification: Category | None
    reason: EscalationReason | None
    citations: tuple[Citation, ...]
    actions: tuple[ActionKind, ...]
    decision: EscalationStatus | None


def case_of(run: RunForCase, name: str | None = None) -> CaseSpec:
    """Return a case for a run, called `name` or the first words of the message. Raises InvalidInput
    for a message without text."""
    scenario = _scenario(run)
    words = clean_line(scenario.messages[-1].text, _NAME_WORDS)
    return CaseSpec(
        name=clean_line(name or f"{words} ({run.run_id[-6:]})", MAX_CASE_NAME),
        scenario=scenario,
        expected=expected_of_run(run),
    )


def expected_of_run(run: RunForCase) -> CaseExpectation:
    """Return the expectation for a run, based on the reviewer's decision, or on the run's outcome
    if there was no review.

    - Approved: the same actions and sources. A review is optional unless a rule requires a review.
    - Edited: the same actions, and no review if the agent was only unsure.
    - Rejected or expired: a review, and no action on an order.
    """
    let_go = (EscalationStatus.APPROVED, EscalationStatus.EDITED)
    executes = run.decision in let_go or run.status is RunStatus.COMPLETED
    actions = tuple(dict.fromkeys(run.actions)) if executes else ()
    keeps_sources = executes and run.decision is not EscalationStatus.EDITED
    return CaseExpectation(
        status=_status(run),
        classification=run.classification,
        sources=_sources(run.citations) if keeps_sources else (),
        actions=actions,
        forbidden=not_planned(actions),
    )


def order_numbers_of(run: RunForCase) -> tuple[str, ...]:
    """Return all order numbers in the conversation. The number of the looked-up order is first."""
    order = _order_seen(run.lookup)
    said = (number for turn in run.turns for number in find_order_numbers(turn.body))
    own = () if order is None else (order.number,)
    looked_for = () if run.lookup is None or run.lookup.number is None else (run.lookup.number,)
    return same_once((*own, *looked_for, *run.event.order_numbers, *said))


def _status(run: RunForCase) -> OutcomeStatus | None:
    match run.decision:
        case EscalationStatus.APPROVED | EscalationStatus.EDITED if run.reason not in _DOUBTS:
            return OutcomeStatus.NEEDS_REVIEW
        case EscalationStatus.APPROVED:
            return None
        case EscalationStatus.EDITED:
            return OutcomeStatus.COMPLETED
        case None:
            return {
                RunStatus.COMPLETED: OutcomeStatus.COMPLETED,
                RunStatus.NEEDS_REVIEW: OutcomeStatus.NEEDS_REVIEW,
            }.get(run.status)
        case _:
            return OutcomeStatus.NEEDS_REVIEW


def _sources(citations: Sequence[Citation]) -> tuple[str, ...]:
    named = (ORDER_SOURCE if one.kind == "order" else one.title for one in citations)
    return tuple(dict.fromkeys(name[:_LINE] for name in named if name))[:MAX_PHRASES]


def _scenario(run: RunForCase) -> Scenario:
    event, order = run.event, _order_seen(run.lookup)
    numbers = order_numbers_of(run)
    replaced = partial(
        anonymized,
        email=event.customer_email,
        name=event.customer_name,
        order_numbers=numbers,
    )
    # Truncate earlier messages to the length that the agent receives.
    earlier = [
        turn.model_copy(update={"body": turn.body[:MAX_TURN_CHARS]})
        for turn in run.turns[1 - MAX_MESSAGES :]
    ]
    messages = [
        ScenarioMessage(author="human" if turn.author == "human" else "customer", text=text)
        for turn in (*earlier, Turn(author="customer", body=event.text))
        if turn.author != "agent" and (text := replaced(turn.body[:MAX_MESSAGE]).strip())
    ]
    if not event.text.strip() or not messages:
        raise InvalidInput("run: its message has no words")
    person = MadeUpPerson(event.customer_email, event.customer_name)
    return Scenario(
        messages=tuple(messages[-MAX_MESSAGES:]),
        event_type=run.event_type,
        source=run.source or None,
        subject=replaced(clean_line(event.subject or "", _LINE)) or None,
        customer=ScenarioCustomer(
            email=person.email if event.customer_email else None,
            name=person.name if event.customer_name else None,
            verified=event.may_read,
        ),
        order=order and _made_up(order, made_up_numbers(numbers), run.received_at),
        fields=dict(_fields(event.fields, replaced)),
    )


def _order_seen(lookup: Lookup | None) -> Order | None:
    return lookup.order if lookup is not None and lookup.state is LookupState.FOUND else None


def _made_up(order: Order, numbers: dict[str, str], at: datetime) -> ScenarioOrder:
    is_old = at - order.placed_at > _FRESH
    return ScenarioOrder(
        number=numbers.get(order.number, _NUMBER),
        state=order.state,
        total=order.total.decimal(),
        refundable=order.refundable.decimal(),
        currency=order.total.currency,
        placed_at=order.placed_at if is_old else None,
        tracking_url=_LINK if order.tracking_url else None,
        items=tuple(clean_line(item, _LINE) for item in order.items if item.strip())[:_FIELDS],
    )


def _fields(fields: dict[str, str], replaced: "partial[str]") -> Iterator[tuple[str, str]]:
    for name, value in sorted(fields.items())[:_FIELDS]:
        is_known = any(said in name.lower() for said in _OTHERWISE_SAID)
        if _FIELD.fullmatch(name) and not is_known:
            yield name, replaced(value[:_LINE])[:_LINE]
