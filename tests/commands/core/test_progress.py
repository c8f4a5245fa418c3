"""Progress of long commands, with and without a terminal."""

from io import StringIO

import pytest
from rich.console import Console

from commands.core.progress import LINE_EVERY_S, progress


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def written_to() -> tuple[StringIO, Console]:
    text = StringIO()
    return text, Console(file=text, force_terminal=False, width=20)


def test_a_log_gets_few_lines_and_one_at_the_end() -> None:
    text, console = written_to()
    clock = _Clock()
    with progress("Importing", 1000, console=console, clock=clock) as bar:
        for _ in range(999):
            bar.advance()
            clock.now += LINE_EVERY_S / 500
        assert text.getvalue() == "Importing: at 50 %\n"
        bar.reach(1000)
        bar.reach(400)
    assert text.getvalue().splitlines()[1:] == ["Importing: done, 100 %"]


def test_what_is_not_done_is_not_called_so() -> None:
    text, console = written_to()

    def break_off() -> None:
        with progress("Importing", 3, console=console) as bar:
            bar.advance(2)
            raise KeyError

    with pytest.raises(KeyError):
        break_off()
    assert text.getvalue() == "Importing: stopped at 66 %\n"


def test_nobody_knows_how_much_there_is() -> None:
    text, console = written_to()
    with progress("Removing [x]", None, console=console) as bar:
        bar.advance(7)
    assert text.getvalue() == "Removing [x]: done, 7\n"


def test_nothing_to_do_is_all_done() -> None:
    text, console = written_to()
    with progress("Removing", 0, console=console):
        pass
    assert text.getvalue() == "Removing: done, 100 %\n"


@pytest.mark.parametrize("total", [10, None])
def test_a_terminal_gets_a_bar(total: int | None) -> None:
    text = StringIO()
    with progress("Importing", total, console=Console(file=text, force_terminal=True)) as bar:
        bar.advance(3)
        bar.advance(7)
    assert "Importing" in text.getvalue()
    assert ("100%" if total else "10") in text.getvalue()
