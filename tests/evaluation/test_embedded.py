"""The embedded brain on the whole test set."""

from dataclasses import replace

from evaluation.aims import aims
from evaluation.contestant import configured
from evaluation.judgement import judge_all
from evaluation.message import read_messages
from evaluation.score import score, together


async def test_the_embedded_brain_meets_every_aim() -> None:
    contestant = configured()
    scored = score(await judge_all(contestant, read_messages()))
    # `make eval` measures its time: beside other tests, the time is meaningless.
    reached = replace(scored, median_ms=0.0)

    assert [aim for aim in aims(contestant, reached, ()) if not aim.met] == []
    assert together(reached.languages.values()).value >= 0.97
    assert not reached.failures
