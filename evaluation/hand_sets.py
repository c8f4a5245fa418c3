"""All hand-written sets, and all of their metrics."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evaluation.action_case import ActionCase
from evaluation.action_figures import action_figures, worst_action_figure
from evaluation.action_trial import try_case
from evaluation.attempt import InjectionAttempt, read_all_attempts
from evaluation.contestant import Contestant
from evaluation.draft_case import DraftCase
from evaluation.draft_trial import draft_figures
from evaluation.figure import HandFigure
from evaluation.hand_rows import HonestMessage, NumberText, SafetyMessage, TemplateMessage
from evaluation.help_question import HelpQuestion
from evaluation.help_trial import help_figures, try_questions
from evaluation.injections import attempt_all, injection_figures, worst_case
from evaluation.parallel import try_all
from evaluation.reply_trial import ReplyText, reply_figures
from evaluation.sealing import FOLDER, LabelledSet, read_set
from evaluation.single_texts import honest_figure, number_figures, safety_figures, with_earlier
from evaluation.template_trial import template_figures, try_template


@dataclass(frozen=True, slots=True)
class HandSets:
    actions: LabelledSet[ActionCase]
    safety: LabelledSet[SafetyMessage]
    injections: LabelledSet[InjectionAttempt]
    honest: LabelledSet[HonestMessage]
    templates: LabelledSet[TemplateMessage]
    numbers: LabelledSet[NumberText]
    help: LabelledSet[HelpQuestion]
    replies: LabelledSet[ReplyText]
    drafts: LabelledSet[DraftCase]

    @property
    def unopened(self) -> tuple[str, ...]:
        """Return the names of the sets whose sealed part is not available."""
        return tuple(name for name in self.__slots__ if getattr(self, name).sealed is None)


def read_hand_sets(folder: Path = FOLDER) -> HandSets:
    """Read all sets. Raises BrokenSet."""
    return HandSets(
        actions=read_set("actions", ActionCase, folder),
        safety=read_set("safety", SafetyMessage, folder),
        injections=read_all_attempts(folder),
        honest=with_earlier(read_set("honest", HonestMessage, folder)),
        templates=read_set("templates", TemplateMessage, folder),
        numbers=read_set("numbers", NumberText, folder),
        help=read_set("help", HelpQuestion, folder),
        replies=read_set("replies", ReplyText, folder),
        drafts=read_set("drafts", DraftCase, folder),
    )


async def figures_of(scored: Contestant, sets: HandSets) -> tuple[HandFigure, ...]:
    """Return every metric. Some depend on the brain, and the others only on the product's code."""
    return (
        *await figures_of_harm(scored, sets),
        *help_figures(await try_questions(scored.brain, sets.help)),
    )


async def figures_of_harm(scored: Contestant, sets: HandSets) -> tuple[HandFigure, ...]:
    """Return all metrics except those for the help set, which need a database and take minutes."""
    brain, at_once = scored.brain, scored.calls_at_once
    acted = await try_all(sets.actions, partial(try_case, brain), at_once=at_once)
    answered = await try_all(sets.templates, partial(try_template, brain), at_once=at_once)
    attempted = await attempt_all(lambda _: (brain,), sets.injections, calls_at_once=at_once)
    return (
        *action_figures(acted),
        await worst_action_figure(sets.actions),
        *safety_figures(sets.safety),
        *injection_figures(
            (scored.name, attempted), await attempt_all(worst_case, sets.injections)
        ),
        honest_figure(sets.honest),
        *template_figures(answered),
        *number_figures(sets.numbers),
        *reply_figures(sets.replies),
        *draft_figures(sets.drafts),
    )
