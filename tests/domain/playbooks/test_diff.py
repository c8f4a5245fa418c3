"""The difference between two playbook versions, in bounded time."""

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
