"""Playbook files: they round-trip, and errors name their position."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from domain.agent.brain import Category
from domain.agent.plan import ON_ORDERS, ActionKind
from domain.agent.procedure import Procedure
from domain.agent.rulebook import (
    ActionLevel,
    ActionRule,
    DuringReview,
    MoneyLimits,
    Rulebook,
    problem,
)
from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.core.plain_text import clean_line, without_controls
from domain.playbooks.file import MAX_FILE_BYTES, parse_playbooks, write_playbooks
from domain.playbooks.playbook import Playbook, PlaybookSpec, match
from domain.playbooks.shape import MAX_TAG
from domain.playbooks.starter import starter_playbooks
from tests.support.core.forks import ROOT

WHOLE = """
version: 1
playbooks:
  - name: Remboursements
    event_type: shopify.*
    threshold: 0.8
    active: false
    instructions: |
      Tutoie le client.
      Reste bref.
    procedure:
      when: Le colis est  en retard.
      steps: [Nomme le transporteur., Donne le suivi.]
      hand_over: Le colis est perdu.
    actions:
      refund:
        level: human-approved
        categories: [refund_request]
        within_days: 30
        limits: {currency: EUR, per_action: "50.00", per_customer: "100.00", per_day: "500"}
      tag: {level: autonomous, tags: [vip, 2026-01-01]}
"""

LINES = st.text(max_size=40).map(lambda text: clean_line(text, MAX_TAG)).filter(bool)
AMOUNTS = st.none() | st.integers(0, 10**12)


@st.composite
def rules(draw: st.DrawFn, kind: ActionKind) -> ActionRule:
    on_orders, tags = kind in ON_ORDERS, kind is ActionKind.TAG
    limits = st.builds(
        MoneyLimits,
        currency=st.sampled_from(["EUR", "USD", "JPY", "KWD"]),
        per_action=AMOUNTS,
        per_customer=AMOUNTS,
        per_day=AMOUNTS,
    )
    return draw(
        st.builds(
            ActionRule,
            level=st.sampled_from(ActionLevel),
            categories=st.lists(st.sampled_from(Category), max_size=3).map(tuple),
            limits=st.none() | limits if on_orders else st.none(),
            within_days=st.none() | st.integers(1, 3_650) if on_orders else st.none(),
            tags=st.lists(LINES, max_size=4).map(tuple) if tags else st.just(()),
        ).filter(lambda rule: problem(kind, rule) is None)
    )


@st.composite
def rulebooks(draw: st.DrawFn) -> Rulebook:
    kinds = draw(st.sets(st.sampled_from(ActionKind)))
    return Rulebook(
        instructions=without_controls(draw(st.text(max_size=300))),
        actions={kind: draw(rules(kind)) for kind in kinds},
        shadow=draw(st.booleans()),
        during_review=DuringReview(answers=draw(st.booleans()), actions=draw(st.booleans())),
        procedure=Procedure(
            when=draw(st.just("") | LINES),
            steps=draw(st.lists(LINES, max_size=4).map(tuple)),
            hand_over=draw(st.just("") | LINES),
        ),
    )


SPECS = st.builds(
    PlaybookSpec,
    name=LINES,
    event_type=st.sampled_from(["*", "shopify.*", "email.inbound", "no", "1.5", "2026-01-01"]),
    threshold=st.floats(0, 1),
    active=st.booleans(),
    rulebook=rulebooks(),
)


@given(st.lists(SPECS, max_size=4, unique_by=lambda spec: spec.name))
def test_what_is_written_is_read_back(specs: list[PlaybookSpec]) -> None:
    assert list(parse_playbooks(write_playbooks(specs).encode())) == specs


def test_a_whole_file() -> None:
    (spec,) = parse_playbooks(WHOLE.encode())

    assert spec == PlaybookSpec(
        name="Remboursements",
        event_type="shopify.*",
        threshold=0.8,
        active=False,
        rulebook=Rulebook(
            instructions="Tutoie le client.\nReste bref.\n",
            procedure=Procedure(
                when="Le colis est en retard.",
                steps=("Nomme le transporteur.", "Donne le suivi."),
                hand_over="Le colis est perdu.",
            ),
            actions={
                ActionKind.REFUND: ActionRule(
                    level=ActionLevel.HUMAN_APPROVED,
                    categories=(Category.REFUND_REQUEST,),
                    within_days=30,
                    limits=MoneyLimits(
                        currency="EUR", per_action=5_000, per_customer=10_000, per_day=50_000
                    ),
                ),
                ActionKind.TAG: ActionRule(
                    level=ActionLevel.AUTONOMOUS, tags=("vip", "2026-01-01")
                ),
            },
            during_review=DuringReview(answers=True),
        ),
    )


def test_amounts_follow_their_currency() -> None:
    text = WHOLE.replace("EUR", "JPY").replace("50.00", "50").replace("100.00", "100.0")
    limits = parse_playbooks(text.encode())[0].rulebook.rule(ActionKind.REFUND).limits

    assert limits is not None
    assert (limits.per_action, limits.per_customer) == (50, 100)


def test_people_can_read_what_is_written() -> None:
    written = write_playbooks(parse_playbooks(WHOLE.encode()))

    assert "instructions: |\n      Tutoie le client.\n" in written.replace("\n    ", "\n      ")
    assert "per_action: '50.00'" in written


REFUND = "playbooks[0].actions.refund"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"50.00"', "50.00", f"{REFUND}.limits.per_action: a decimal number in quotes expected"),
        ('"50.00"', '"1e3"', f"{REFUND}.limits.per_action: a decimal number in quotes"),
        ('"50.00"', '"-1"', f"{REFUND}.limits.per_action: a decimal number in quotes"),
        ('"50.00"', '"50.001"', f"{REFUND}.limits.per_action: more digits than the currency has"),
        ('"500"', '"9999999999999"', f"{REFUND}.limits.per_day: from 0 up"),
        ("EUR", "euro", f"{REFUND}.limits.currency: three capital letters"),
        ("currency: EUR, ", "", f"{REFUND}.limits.currency: is missing"),
        ("human-approved", "always", f"{REFUND}.level: 'autonomous', 'customer-confirmed', "),
        ("[refund_request]", "[refund]", f"{REFUND}.categories[0]: 'order_status', "),
        ("[refund_request]", "refund_request", f"{REFUND}.categories: a list expected"),
        ("within_days: 30", "within_days: 0", f"{REFUND}.within_days: must be greater"),
        ("within_days: 30", "within_days: soon", f"{REFUND}.within_days: a whole number"),
        ("within_days: 30", "within_hours: 30", f"{REFUND}.within_hours: there is no such key"),
        ("tags: [vip, 2026-01-01]", "tags: []", "playbooks[0].actions.tag: name the tags"),
        ("[vip, ", "[no, ", "playbooks[0].actions.tag.tags[0]: a text expected"),
        ("[vip, ", f"[{'x' * 41}, ", "playbooks[0].actions.tag.tags[0]: a tag has 1 to 40"),
        ("Le colis est perdu.", "x" * 301, "playbooks[0].procedure.hand_over: at most 300"),
        ("[Nomme le transporteur., ", "[' ', ", "playbooks[0].procedure.steps[0]: a step has"),
        (
            "[Nomme le transporteur., Donne le suivi.]",
            f"[{', '.join('abcdefghijk')}]",
            "playbooks[0].procedure.steps:",
        ),
        ("when:", "tools:", "playbooks[0].procedure.tools: there is no such key"),
        ("tag: {", "refunds: {", "playbooks[0].actions.refunds: 'reply', 'reply_by_email'"),
        ("tag: {", "note: {", "playbooks[0].actions.note: tags are for the action tag"),
        ("threshold: 0.8", "threshold: 1.1", "playbooks[0].threshold: must be less"),
        ("threshold: 0.8", "threshold: .nan", "playbooks[0].threshold: a number expected"),
        ("threshold: 0.8", "threshold: true", "playbooks[0].threshold: a number expected"),
        ("active: false", "active: 0", "playbooks[0].active: true or false expected"),
        ("shopify.*", "shop*ify", "playbooks[0].event_type: `*` stands alone"),
        ("Remboursements", '" "', "playbooks[0].name: 1 to 200 characters"),
        ("name: Remboursements", "title: x", "playbooks[0].name: is missing"),
        ("  - name:", "  - id: x\n    name:", "playbooks[0].id: there is no such key"),
        ("version: 1", "version: 2", "version: 1 expected"),
        ("version: 1", "versions: 1", "version: is missing"),
        ("version: 1", "version: &v 1", "line 2, column 10: anchors and aliases are not allowed"),
        ("active: false", "active: *v", "line 7, column 13: anchors and aliases are not allowed"),
        ("active: false", "name: other", "line 7, column 5: a key comes twice"),
        ("active: false", "<<: {active: true}", "playbooks[0].<<: there is no such key"),
        ("active: false", "1: x", "line 7, column 5: a key that is no word"),
        (
            "active: false",
            "active: !!python/name:os.system",
            "line 7, column 13: could not determine",
        ),
        ("active: false", "active: !!binary AAAA", "line 7, column 13: could not determine"),
        ("active: false", "active: !!int x", "a value is not what its tag says"),
        ("active: false", "active: !!int ''", "a value is not what its tag says"),
        ("active: false", "active: !!float '+'", "a value is not what its tag says"),
        ("active: false", "active: !!bool perhaps", "a value is not what its tag says"),
        ("active: false", "active: [", "not valid YAML: line "),
        ("active: false", "active: \x00", "not valid YAML: unacceptable character"),
        ("active: false", f"active: {'[' * 9_000}", "line 7, column 30: nested too deeply"),
    ],
)
def test_what_is_wrong_is_named(old: str, new: str, said: str) -> None:
    assert old in WHOLE
    with pytest.raises(InvalidInput) as refused:
        parse_playbooks(WHOLE.replace(old, new).encode())

    assert said in str(refused.value).splitlines()[0]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file: keys and values expected"),
        (b"- x", "the file: keys and values expected"),
        (b"version: 1\n---\nversion: 1\n", "another document"),
        (b"\xff\xfe", "UTF-8"),
        (b"#" * (MAX_FILE_BYTES + 1), "at most 256 KiB"),
    ],
)
def test_what_is_no_such_file(data: bytes, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        parse_playbooks(data)


def test_everything_wrong_is_said_at_once() -> None:
    text = WHOLE.replace("0.8", "8").replace("EUR", "E").replace("30", "-1")

    with pytest.raises(InvalidInput) as refused:
        parse_playbooks(text.encode())

    assert [line.partition(":")[0] for line in str(refused.value).splitlines()] == [
        "playbooks[0].threshold",
        "playbooks[0].actions.refund.within_days",
        "playbooks[0].actions.refund.limits.currency",
    ]


def test_no_page_of_complaints() -> None:
    items = yaml.safe_dump({"version": 1, "playbooks": [{} for _ in range(100)]})

    with pytest.raises(InvalidInput) as refused:
        parse_playbooks(items.encode())

    assert str(refused.value).splitlines()[10:] == ["and 190 more"]


def test_a_name_twice() -> None:
    text = WHOLE + WHOLE.partition("playbooks:\n")[2]

    with pytest.raises(InvalidInput, match=r"playbooks\[1\]\.name: another one"):
        parse_playbooks(text.encode())


@pytest.mark.parametrize(
    ("event_type", "answered"),
    [
        ("shopify.ticket.created", True),
        ("woocommerce.order.created", True),
        ("email.inbound", True),
        ("widget.chat.message", True),
        ("zendesk.ticket.created", True),
        ("gorgias.message.created", True),
        ("intercom.ticket.created", True),
        ("freshdesk.ticket.created", True),
        ("prestashop.message", True),
        ("generic.message", True),
        ("helpdesk.message", True),
        ("voice.call.ended", False),
        ("api_direct", False),
    ],
)
def test_the_starter_set_answers(event_type: str, answered: bool) -> None:
    playbooks = [
        Playbook(
            id=spec.name,
            version=1,
            name=spec.name,
            event_type=spec.event_type,
            threshold=spec.threshold,
        )
        for spec in starter_playbooks()
    ]

    assert (match(playbooks, event_type) is not None) is answered


def test_the_starter_set_gives_nothing_back_by_itself() -> None:
    most = Money.parse("100.00", "EUR").minor
    for spec in starter_playbooks():
        assert spec.active
        assert spec.threshold == 0.7
        for kind in ON_ORDERS:
            rule = spec.rulebook.rule(kind)
            assert rule.level is not ActionLevel.AUTONOMOUS
            if rule.level is ActionLevel.HUMAN_APPROVED:
                assert rule.limits is not None
                assert rule.limits.per_action is not None
                assert rule.limits.per_action <= most


def test_the_example_of_the_documentation() -> None:
    page = Path(ROOT, "docs", "playbooks.md").read_text()
    example = page.partition("```yaml\n")[2].partition("```")[0]

    assert parse_playbooks(example.encode())
