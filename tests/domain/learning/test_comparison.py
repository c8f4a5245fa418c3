"""The comparison in shadow mode, rule by rule."""

import pytest

from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.grounding.facts import FactKind
from domain.agent.plan import ActionKind, PlannedAction
from domain.core.money import Money
from domain.learning.comparison import (
    OrderEffect,
    PeopleDid,
    ShadowThought,
    compare_with_people,
    plain_words,
)

DRAFT = "Votre commande 1042 arrivera le 3 mars, nous remboursons 49,90 €."
REPLY = PlannedAction(kind=ActionKind.REPLY)
REFUND = PlannedAction(kind=ActionKind.REFUND, amount=Money(minor=4_990, currency="EUR"))


def _thought(
    *plan: PlannedAction, draft: str = DRAFT, reason: EscalationReason | None = None
) -> ShadowThought:
    return ShadowThought(
        classification=Category.REFUND_REQUEST,
        confidence=0.9,
        reason=reason,
        draft=draft,
        plan=plan or (REPLY,),
    )


ANSWERS = _thought()
SILENT = ShadowThought(classification=Category.OTHER, confidence=0.9)
ASKS = _thought(reason=EscalationReason.LOW_CONFIDENCE)


@pytest.mark.parametrize(
    ("thought", "did", "sent", "decision", "agrees"),
    [
        pytest.param(ANSWERS, PeopleDid.ANSWERED, DRAFT, True, True, id="same"),
        pytest.param(ANSWERS, PeopleDid.ANSWERED_ELSEWHERE, DRAFT, True, True, id="elsewhere"),
        pytest.param(ANSWERS, PeopleDid.ANSWERED, "Au revoir.", True, False, id="other words"),
        pytest.param(ANSWERS, PeopleDid.HANDED_OVER, None, False, False, id="handed over"),
        pytest.param(ANSWERS, PeopleDid.EXPIRED, None, None, None, id="nobody decided"),
        pytest.param(ANSWERS, PeopleDid.ANSWERED_ELSEWHERE, None, True, None, id="no words"),
        pytest.param(SILENT, PeopleDid.ANSWERED, "Avec plaisir.", False, False, id="silent"),
        pytest.param(SILENT, PeopleDid.HANDED_OVER, None, None, None, id="both silent"),
        pytest.param(ASKS, PeopleDid.HANDED_OVER, None, True, None, id="asked people"),
        pytest.param(ASKS, PeopleDid.ANSWERED, DRAFT, None, None, id="asked and answered"),
    ],
)
def test_whether_the_agent_could_have_answered(
    thought: ShadowThought,
    did: PeopleDid,
    sent: str | None,
    decision: bool | None,
    agrees: bool | None,
) -> None:
    found = compare_with_people(thought, did, sent)

    assert (found.decision, found.agrees) == (decision, agrees)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (("49,90", "39,90"), FactKind.MONEY),
        (("3 mars", "13 mars"), FactKind.DATE),
        (("1042", "1043"), FactKind.NUMBER),
    ],
    ids=["amount", "date", "order"],
)
def test_another_fact_is_no_agreement(change: tuple[str, str], kind: FactKind) -> None:
    found = compare_with_people(ANSWERS, PeopleDid.ANSWERED, DRAFT.replace(*change))

    assert (found.facts, found.conflicts, found.agrees) == (False, (kind,), False)
    assert found.money_differs == (kind is FactKind.MONEY)


def test_more_facts_on_one_side_are_no_conflict() -> None:
    sent = f"{DRAFT} Le colis pèse 300 grammes et arrive avant 18 h 30."

    assert compare_with_people(ANSWERS, PeopleDid.ANSWERED, sent).facts is True


@pytest.mark.parametrize(
    ("plan", "effects", "same"),
    [
        ((REPLY,), (), None),
        ((REFUND, REPLY), (), None),
        ((REFUND, REPLY), (OrderEffect(kind=ActionKind.REFUND, amount=REFUND.amount),), True),
        ((REFUND, REPLY), (OrderEffect(kind=ActionKind.REFUND),), True),
        (
            (REFUND, REPLY),
            (OrderEffect(kind=ActionKind.REFUND, amount=Money(minor=1, currency="EUR")),),
            False,
        ),
        ((REPLY,), (OrderEffect(kind=ActionKind.CANCEL_ORDER),), False),
    ],
    ids=["nothing", "not known", "same", "amount not known", "other amount", "people alone"],
)
def test_what_people_did_to_the_order(
    plan: tuple[PlannedAction, ...], effects: tuple[OrderEffect, ...], same: bool | None
) -> None:
    found = compare_with_people(_thought(*plan), PeopleDid.ANSWERED, DRAFT, effects)

    assert found.actions is same
    assert found.money_differs == (same is False)


def test_a_helpdesk_s_html_is_no_word() -> None:
    assert plain_words("<p>Bonjour&nbsp;Léa,<br>c'est &lt;fait&gt;.</p>") == (
        "Bonjour Léa, c'est <fait>."
    )
