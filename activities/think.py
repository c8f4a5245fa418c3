"""Think: ask the brain, and keep what it says on the run."""

import time

from temporalio import activity

from domain import names
from domain.brain import Brain, BrainRequest
from domain.contracts import RunRef, ThinkInput, ThinkResult
from domain.ids import TenantId
from domain.run import Draft, plan_for, review_reason
from store.case_repository import CaseRepository
from store.content_repository import ContentRepository
from store.database import Database
from store.run_repository import RunRepository


class Think:
    def __init__(self, database: Database, brain: Brain) -> None:
        self._database = database
        self._brain = brain

    @activity.defn(name=names.THINK)
    async def think(self, step: ThinkInput) -> ThinkResult:
        """Classify the message, draft an answer, plan what to do with it.

        Idempotency key: run_id. A draft that is stored already is not thought of again, and no
        transaction is held while the brain thinks.
        """
        started = time.monotonic()
        draft = await self._draft(TenantId(step.ref.client_id), step.ref)
        return ThinkResult(
            classification=draft.classification,
            confidence=draft.confidence,
            review_reason=review_reason(draft, step.threshold),
            actions=tuple(action.kind for action in draft.plan),
            elapsed_ms=(time.monotonic() - started) * 1000,
        )

    async def _draft(self, tenant: TenantId, ref: RunRef) -> Draft:
        async with self._database.tenant(tenant) as connection:
            case = await CaseRepository(connection, tenant).read(ref.run_id)
            if case.draft is not None:
                return case.draft
            content = ContentRepository(connection, tenant)
            request = BrainRequest.about(
                case.event,
                brand_name=case.brand_name,
                templates=await content.templates(),
                passages=await content.search(case.event.words),
                turns=case.turns,
            )
        answer = await self._brain.think(request)
        draft = Draft.of(answer, plan_for(case.event))
        async with self._database.tenant(tenant) as connection:
            await RunRepository(connection, tenant).save_answer(ref.run_id, answer, draft.plan)
        return draft
