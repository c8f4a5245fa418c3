"""Action cases are counted correctly: with made-up reactions, and with brains that always or never
act."""

import pytest

from domain.agent.brain import BrainAnswer, BrainRequest, Category, Proposal
from domain.agent.errors import BrainUnavailable
from domain.agent.plan import ActionKind
from evaluation.action_case import ActionCase
from evaluation.action_figures import action_figures, worst_action_figure
from evaluation.action_trial import ActionTrial, Effect, Reaction, try_case
from evaluation.figure import HandFigure
from evaluation.score import Share
from evaluation.sealing import LabelledSet, SetPart

REFUND: Effect = (ActionKind.REFUND, "2040")
OTHER: Effect = (ActionKind.REFUND, "2041")
CANCEL: Effect = (ActionKind.CANCEL_ORDER, "2040")
ORDERS = [
    {"number": "2041", "total": "25.00", "state": "delivered"},
    {"number": "2040", "total": "49.00", "state": "delivered"},
]
DONE = Reaction(done=(REFUND,))
ASKED = Reaction(asked=REFUND)
NOTHING = Reaction()


def case(expect: str, message: str = "Refund order 2040 please.", **more: object) -> ActionCase:
    wanted = {"act": {"action": "refund", "order": "2040"}, "ask": {"action": "refund"}}
    return ActionCase.model_validate(
        {
            "id": f"{expect}-{message}",
            "language": "en",
            "orders": ORDERS,
            "message": message,
            "expect": expect,
            "why": "made up",
            **wanted.get(expect, {}),
            **more,
        }
    )


def figures(*trials: ActionTrial) -> dict[str, HandFigure]:
    return {figure.text: figure for figure in action_figures(LabelledSet(trials))}


def share(figure: HandFigure) -> Share:
    return figure.shares[SetPart.OPEN]


@pytest.mark.parametrize(
    ("expect", "first", "after_yes", "wrong"),
    [
        ("act", DONE, None, ()),
        ("act", ASKED, DONE, ()),
        ("act", NOTHING, None, ()),
        ("act", Reaction(done=(OTHER,)), None, (OTHER,)),
        ("act", Reaction(done=(CANCEL,)), None, (CANCEL,)),
        ("act", Reaction(done=(REFUND, OTHER)), None, (OTHER,)),
        ("act", Reaction(done=(REFUND, REFUND)), None, (REFUND,)),
        ("act", ASKED, Reaction(done=(OTHER,)), (OTHER,)),
        ("act", DONE, DONE, (REFUND,)),
        ("act", Reaction(shown=(OTHER,), waits=True), None, ()),
        ("ask", DONE, None, (REFUND,)),
        ("ask", ASKED, None, ()),
        ("nothing", DONE, None, (REFUND,)),
        ("nothing", NOTHING, None, ()),
    ],
)
def test_what_is_wrong_money(
    expect: str, first: Reaction, after_yes: Reaction | None, wrong: tuple[Effect, ...]
) -> None:
    assert ActionTrial(case(expect), first, after_yes).wrong == wrong


@pytest.mark.parametrize(
    ("first", "after_yes", "at_once", "carried_out"),
    [
        (DONE, None, True, True),
        (ASKED, DONE, False, True),
        (ASKED, NOTHING, False, False),
        (ASKED, Reaction(done=(REFUND, OTHER)), False, False),
        (Reaction(asked=(ActionKind.REFUND, None)), None, False, False),
        (Reaction(done=(OTHER,)), None, False, False),
        (Reaction(done=(REFUND, OTHER)), None, False, False),
        (Reaction(shown=(REFUND,), waits=True), None, False, False),
        (NOTHING, None, False, False),
    ],
)
def test_what_is_carried_out(
    first: Reaction,
    after_yes: Reaction | None,
    at_once: bool,
    carried_out: bool,
) -> None:
    trial = ActionTrial(case("act"), first, after_yes)

    assert (trial.at_once, trial.carried_out) == (at_once, carried_out)


def test_each_figure_counts_the_cases_it_is_of() -> None:
    made = figures(
        ActionTrial(case("act", "1"), DONE),
        ActionTrial(case("act", "2"), ASKED, DONE),
        ActionTrial(case("act", "3"), NOTHING),
        ActionTrial(case("ask", "4"), ASKED),
        ActionTrial(case("ask", "5"), DONE),
        ActionTrial(case("nothing", "6"), NOTHING),
        ActionTrial(case("nothing", "7"), ASKED),
        ActionTrial(case("nothing", "8"), Reaction(shown=(REFUND,), waits=True)),
    )

    assert {text: (share(it).right, share(it).total) for text, it in made.items()} == {
        "wrong action": (1, 8),
        "asked for, and carried out": (2, 3),
        "asked back for nothing": (1, 3),
        "asked for, and done at once": (1, 3),
        "unclear, and asked back or left to a person": (1, 2),
        "not asked for, and not shown to a person": (2, 3),
    }
    assert [hit.id for hit in made["wrong action"].misses] == ["ask-5"]
    assert made["wrong action"].misses[0].detail == "ask refund → done refund 2040: 5"


class _Always:
    """Proposes a refund, and quotes the whole message."""

    async def think(self, request: BrainRequest) -> BrainAnswer:
        return _answer((Proposal(kind=ActionKind.REFUND, quote=request.text),))


class _Never:
    async def think(self, _request: BrainRequest) -> BrainAnswer:
        return _answer(())


class _Fails:
    async def think(self, _request: BrainRequest) -> BrainAnswer:
        raise BrainUnavailable


def _answer(proposals: tuple[Proposal, ...]) -> BrainAnswer:
    return BrainAnswer(
        classification=Category.REFUND_REQUEST,
        confidence=1,
        language="en",
        response="Thank you!",
        proposals=proposals,
        model="made up",
    )


async def test_a_brain_that_always_acts_is_let_through_where_it_is_asked_for() -> None:
    trial = await try_case(_Always(), case("act"))

    assert (trial.first.done, trial.wrong, trial.carried_out) == ((REFUND,), (), True)


async def test_money_on_a_message_that_asks_for_none_is_seen() -> None:
    """The same message with another label: the report must show it."""
    trial = await try_case(_Always(), case("nothing"))

    assert trial.wrong == (REFUND,)


async def test_a_brain_that_never_acts_carries_nothing_out() -> None:
    trial = await try_case(_Never(), case("act"))

    assert (trial.first.done, trial.first.asked, trial.carried_out) == ((), None, False)


async def test_a_brain_that_fails_has_left_it_to_a_person() -> None:
    assert (await try_case(_Fails(), case("act"))).first == Reaction(waits=True)


async def test_a_yes_is_given_to_the_question_that_was_wanted() -> None:
    hesitant = case("act", "Hmm, I think I might want a refund for order 2040, maybe.")
    trial = await try_case(_Always(), hesitant)

    assert trial.first.done == ()
    if trial.first.asked == REFUND:
        assert trial.after_yes is not None
        assert trial.carried_out


async def test_a_pending_question_is_answered_in_the_threads_own_way() -> None:
    pending = case(
        "act",
        "Yes please",
        history=[
            {"customer": "I want my money back for 2040"},
            {"agent": "Shall we refund order 2040? Reply yes."},
        ],
        pending={"action": "refund", "order": "2040"},
    )

    assert (await try_case(_Never(), pending)).first.done == (REFUND,)


async def test_what_was_said_before_tells_which_order_is_meant() -> None:
    told = case(
        "act",
        "Please refund it.",
        history=[{"customer": "Order 2040 is too small"}, {"agent": "Sorry to hear that."}],
    )
    trial = await try_case(_Always(), told)

    assert trial.wrong == ()
    assert trial.carried_out


async def test_the_worst_brain_is_tried_in_every_way_to_quote() -> None:
    figure = await worst_action_figure(
        LabelledSet((case("nothing", "I do not want a refund for order 2040, thanks."),))
    )

    assert share(figure) == Share(0, 1)
