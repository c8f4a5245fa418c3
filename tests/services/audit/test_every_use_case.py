"""Every use case that writes adds an audit entry, directly or through a helper."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

SERVICES: Final = Path(__file__).resolve().parents[3] / "services"
SILENT: Final[Mapping[str, str]] = {
    "signature_evidence": "it reads what was signed, and changes nothing",
    "subscriber": "it reads the plan, and changes nothing",
    "make_code": "no client and no user is known yet: the session that the code opens is noted",
    "make_code_in_crowd": "likewise",
    "keep_page": "the start of the import is noted, and each page's row states its outcome",
    "see_session": "it says that a session is used, once a minute",
    "note_seen": "it says what a visitor was shown, and changes nothing of the client's",
    "save_subscription": "part of use cases that note what changed",
    "make_visitor_code": "a visitor is nobody's member: the row of the code tells it",
    "enter_visitor_code": "likewise: the session's row tells who was verified, when and how",
    "widget_and_key": "it reads what is set, and changes nothing",
    "take": "a platform's webhook: its row tells it",
    "keep": "likewise",
    "end_turn": "likewise",
    "hand_over": "likewise",
    "keep_found": "the rows of what was found tell it",
    "rate_by_link": "a customer is nobody's member: the rating's row tells it",
    "rate_in_widget": "likewise",
    "counting_lost": "it counts what a change costs, and changes nothing",
    "save_preferences": "what somebody wants the pages to look like",
    "require_manager_now": "it checks the actor, and changes nothing",
    "keep_draft": "what was typed has had no effect yet",
    "prepend_to_draft": "likewise",
    "drop_draft": "likewise",
    "take_form": "part of a form's effect, which is noted",
    "lead_form": "likewise",
    "was_sent": "it reads whether a form had its effect",
    "standing_in": "it reads what a form was filled from",
    "fail_reply": "the agent's record of a send: the row of the reply tells it",
    "settle_reply": "likewise",
    "delivery_of": "it reads the connections, and changes nothing",
    "visit_home": "when a member looked, not what somebody did",
    "note_mailed": "it says that a mail left, and changes nothing of the client's",
    "check_event_room": "it reads what is used up, and changes nothing",
    "check_unproved_share": "likewise",
    "check_widget_share": "likewise",
    "refuse_flood": "it counts what there is, and changes nothing",
    "counted_customer": "it reads whom a message counts for, and changes nothing",
    "prepare_mails": "it writes the notices that a member has chosen",
    "end_mail": "it says that a notice left, and changes nothing of the client's",
    "acting_as": "it looks up who acts, and changes nothing",
}
"""Use cases without an entry, each with its reason."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _functions(source: str) -> Iterator[Function]:
    for node in ast.parse(source).body:
        if isinstance(node, Function):
            yield node


def _is_use_case(function: Function) -> bool:
    """Return whether a function is public and takes a unit of work."""
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    types = [ast.unparse(one.annotation) for one in arguments if one.annotation is not None]
    works = {"UnitOfWork", "UnitsOfWork"} & {*types}
    return not function.name.startswith("_") and bool(works)


def _called(function: Function) -> set[str]:
    """Return the functions that it calls, as written in the code."""
    return {ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}


def unnoted(sources: Mapping[str, str]) -> set[str]:
    """Return the use cases that add no entry, not even through other functions of services."""
    functions = [one for source in sources.values() for one in _functions(source)]
    called = {one.name: _called(one) for one in functions}
    noting = {name for name, names in called.items() if "work.note" in names}
    while more := {name for name, names in called.items() if names & noting} - noting:
        noting |= more
    return {one.name for one in functions if _is_use_case(one)} - noting


def _services() -> dict[str, str]:
    return {str(file): file.read_text() for file in sorted(SERVICES.rglob("*.py"))}


def test_every_use_case_notes_what_it_does() -> None:
    found = [one.name for source in _services().values() for one in _functions(source)]

    assert len(found) > 50
    assert unnoted(_services()) == SILENT.keys()


USE_CASE = "async def change(work: UnitOfWork, actor: Actor) -> None:\n    "


@pytest.mark.parametrize(
    ("sources", "silent"),
    [
        ([USE_CASE + "pass"], True),
        ([USE_CASE + "helper(work)"], True),
        ([USE_CASE + "work.note(actor, 'changed')"], False),
        ([USE_CASE + "helper(work)", "def helper(work):\n    work.note(actor, 'x')"], False),
        (
            [USE_CASE + "one(work)", "def one(w):\n    two(w)", "def two(work):\n    work.note()"],
            False,
        ),
        (["async def change(units: UnitsOfWork, actor: Actor): ..."], True),
        (["async def _change(work: UnitOfWork, actor: Actor): ..."], False),
        (["async def change(work: UnitOfWork, user_id: str): ..."], True),
        (["async def change(connection: AsyncConnection): ..."], False),
    ],
)
def test_what_would_be_found(sources: list[str], *, silent: bool) -> None:
    named = {str(number): source for number, source in enumerate(sources)}

    assert unnoted(named) == ({"change"} if silent else set())
