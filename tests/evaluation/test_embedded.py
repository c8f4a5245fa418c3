"""The embedded brain on the whole test set."""

from evaluation.aims import aims
from evaluation.contestant import configured
from evaluation.judgement import judge_all
from evaluation.message import read_messages
from evaluation.score import score, together


async def test_the_embedded_brain_meets_every_aim() -> None:
    contestant = configured()
    reached = score(await judge_all(contestant, read_messages()))

    assert [aim for aim in aims(contestant, reached, ()) if not aim.met] == []
    assert together(reached.languages.values()).value >= 0.97
    assert not reached.failures
