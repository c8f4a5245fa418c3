"""The difference between two playbook versions, in bounded time."""

import time

import pytest

from domain.agent.rulebook import Rulebook
from domain.core.effort import budget
from domain.playbooks.file import diff
from domain.playbooks.playbook import PlaybookSpec


def test_instructions_that_repeat_one_line_are_shown_whole() -> None:
    """Earlier, a line-by-line comparison of two such texts blocked the process for half a
    minute."""
    old, new = [
        PlaybookSpec(
            name="Long", event_type="*",
            rulebook=Rulebook(instructions=f"a\n{number}\n" * 2_000),
        )
        for number in (1, 2)
    ]  # fmt: skip

    with budget() as effort:
        lines = diff(old, new).splitlines()

    assert effort.spent < 100_000
    assert {line[0] for line in lines} == {"-", "+"}
    assert sum(it.startswith("-") for it in lines) > 4_000
    assert diff(old, old) == ""


@pytest.mark.parametrize(("levels", "words", "times"), [(500, 46, 20), (950, 4, 20)])
def test_instructions_with_many_small_differences_are_shown_whole(
    levels: int, words: int, times: int
) -> None:
    """Earlier, the comparison blocked the API's event loop for a second."""
    old, new = (
        PlaybookSpec(
            name="Long",
            event_type="*",
            rulebook=Rulebook(
                instructions="\n".join(
                    [unit for at in range(levels) for unit in (f"x{at}", f"{own}{at}")]
                    + [f"v{at}" for at in range(words)[::step]] * times
                )
            ),
        )
        for own, step in (("a", 1), ("b", -1))
    )
    began = time.thread_time()

    lines = diff(old, new).splitlines()

    assert time.thread_time() - began < 0.25
    assert {line[0] for line in lines} == {"-", "+"}
