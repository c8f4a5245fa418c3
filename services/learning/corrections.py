"""Decisions on corrections: accept them fully or partly, or dismiss them."""

import asyncio
from dataclasses import dataclass
from typing import Literal, assert_never

from domain.cases.case import CaseOrigin
from domain.content.suggestion import SuggestedEntry, SuggestedTemplate
from domain.learning.correction import (
    ContentLesson,
    CorrectionLesson,
    CorrectionState,
    KnowledgeRevision,
    TemplateRevision,
)
from domain.learning.correction_suggestions import example_answer, example_text, language_of
from domain.learning.labelled_example import LabelledExample
from domain.tenants.actor import MANAGERS, Actor
from services.cases.saved_cases import add_case
from services.content.knowledge import add_knowledge, change_knowledge
from services.content.templates import NewTemplate, add_template, change_template
from services.core.unit_of_work import UnitOfWork
from services.learning.correction_reading import corrected_run
from store.learning.corrections import CorrectionRepository
from store.learning.labelled_examples import LabelledExampleRepository
from store.tenants.accounts import AccountRepository


@dataclass(frozen=True, slots=True)
class AcceptedCorrection:
    """The ids of the records that were created from a correction."""

    example_id: str
    case_id: str | None
    content_kind: Literal["template", "knowledge"] | None
    content_id: str | None


async def accept_correction(
    work: UnitOfWork, actor: Actor, correction_id: str, lesson: CorrectionLesson
) -> AcceptedCorrection:
    """Accept a correction once: create the selected case and content, and a labelled example, all
    or none.

    Raises RoleRequired, CorrectionNotFound, CorrectionDecided, TooManyExamples, ClientNotFound, and
    the errors of adding or changing a case or content.
    """
    actor.require(MANAGERS)
    # The account is locked before the correction's row because the steps below lock the account
    # too.
    await AccountRepository(work.connection, work.tenant).lock()
    repository = CorrectionRepository(work.connection, work.tenant)
    await repository.hold(correction_id)
    await repository.decide(correction_id, CorrectionState.ACCEPTED, actor.known_as, work.now)
    example = await _example(work, actor, correction_id, lesson)
    await LabelledExampleRepository(work.connection, work.tenant).put(example)
    case_id = None
    if lesson.case is not None:
        case = await add_case(
            work, actor, lesson.case, origin=CaseOrigin.CORRECTION, run_id=example.run_id
        )
        case_id = case.id
    kind, content_id = await _teach(work, actor, lesson.content)
    made = AcceptedCorrection(example.id, case_id, kind, content_id)
    await repository.made(
        correction_id,
        case_id=made.case_id,
        content_kind=made.content_kind,
        content_id=made.content_id,
    )
    work.note(actor, "correction accepted", correction_id=correction_id, example_id=example.id)
    return made


async def dismiss_correction(work: UnitOfWork, actor: Actor, correction_id: str) -> None:
    """Dismiss a correction without creating anything. Raises RoleRequired, CorrectionNotFound,
    CorrectionDecided."""
    actor.require(MANAGERS)
    await CorrectionRepository(work.connection, work.tenant).decide(
        correction_id, CorrectionState.DISMISSED, actor.known_as, work.now
    )
    work.note(actor, "correction dismissed", correction_id=correction_id)


async def _example(
    work: UnitOfWork, actor: Actor, correction_id: str, lesson: CorrectionLesson
) -> LabelledExample:
    record = await CorrectionRepository(work.connection, work.tenant).read(correction_id)
    run = await corrected_run(work.connection, work.tenant, record)
    text = await asyncio.to_thread(example_text, record, run)
    return LabelledExample(
        id=work.new_id(),
        run_id=record.run_id,
        text=text,
        answer=await asyncio.to_thread(example_answer, record, run),
        language=language_of(record, text),
        classification=lesson.classification,
        intent=lesson.intent,
        labelled_by=actor.known_as,
        created_at=work.now,
    )


async def _teach(
    work: UnitOfWork, actor: Actor, lesson: ContentLesson | None
) -> tuple[Literal["template", "knowledge"] | None, str | None]:
    """Create or change the content that the correction selects, and return its kind and id."""
    match lesson:
        case None:
            return None, None
        case SuggestedEntry(title=title, body=body, language=language):
            entry = await add_knowledge(work, actor, title=title, body=body, language=language)
            return "knowledge", entry.id
        case KnowledgeRevision(knowledge_id=knowledge_id, change=entry_change):
            await change_knowledge(work, actor, knowledge_id, entry_change)
            return "knowledge", knowledge_id
        case SuggestedTemplate() as new:
            made = await add_template(
                work,
                actor,
                NewTemplate(
                    new.name,
                    new.category,
                    new.language,
                    new.body,
                    intent=new.intent,
                    not_for=new.not_for,
                ),
            )
            return "template", made.id
        case TemplateRevision(template_id=template_id, change=template_change):
            await change_template(work, actor, template_id, template_change)
            return "template", template_id
        case _:
            assert_never(lesson)
