"""Questions to nine shops whose authors had seen neither the code nor another set:
`python -m evaluation.fresh_shops`.

The command prints how many answers the embedded brain sends, and how many of them are wrong. No
model is trained on these questions, and no target binds: they show what to expect from strangers.
It takes about ten minutes.
"""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from adapters.brain.classifier import Classifier
from adapters.brain.embedded import EmbeddedBrain
from evaluation.help_question import HelpQuestion, questions_in
from evaluation.help_trial import HelpOutcome, try_questions
from evaluation.sealing import LabelledSet

FRESH: Final = Path(__file__).parent / "fresh"


def fresh_questions() -> tuple[HelpQuestion, ...]:
    """Return the questions of all nine authors."""
    return tuple(one for path in sorted(FRESH.glob("*.yaml")) for one in questions_in(path))


def report(outcomes: Sequence[HelpOutcome]) -> list[str]:
    """Return one line for each shop, one for each kind of question, and one for all."""
    groups: dict[str, list[HelpOutcome]] = {}
    for one in outcomes:
        for group in (one.question.shop, one.question.kind, "all"):
            groups.setdefault(group, []).append(one)
    names = sorted(groups, key=lambda group: (group == "all", group))
    return [_line(group, groups[group]) for group in names]


def _line(group: str, members: Sequence[HelpOutcome]) -> str:
    sent = [one for one in members if one.sent]
    wrong = sum(not one.is_right for one in sent)
    answerable = [one for one in members if one.question.kind == "answerable"]
    drafts = sum(one.is_right for one in answerable)
    received = sum(one.is_right and (one.sent or one.is_excerpt) for one in answerable)
    excerpts = sum(one.is_excerpt for one in members)
    return (
        f"{group}: {len(members)} questions, {len(sent)} sent, {wrong} of them wrong; "
        f"{excerpts} excerpts; of {len(answerable)} answerable, the facts in {drafts} answers or "
        f"drafts, {received} of them received at once"
    )


async def main() -> None:
    brain = EmbeddedBrain(Classifier.load())
    outcomes = await try_questions(brain, LabelledSet(open=fresh_questions()))
    sys.stdout.write("\n".join(report(outcomes.open)) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
