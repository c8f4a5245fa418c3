"""The activity that calls the brain, evaluates the policy, and stores the results on the run."""

import time
from dataclasses import replace
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncConnection
from temporalio import activity

from activities.agent.brain_budget import BrainBudget
from activities.agent.draft_answer import draft_answer, draft_or_fall_back
from activities.agent.gather import (
    Gathered,
    connections,
    gather,
    near_question,
    useful_embedder,
)
from activities.agent.model_tools import ModelTools
from activities.agent.order_search import OrderSearch
from activities.agent.recorded_calls import RecordedCalls
from domain.agent.attachment_preview import AttachmentPreview, images_to_show
from domain.agent.brain_context import BrainContext
from domain.agent.call_record import recording
from domain.agent.contracts import ThinkInput, ThinkResult
from domain.agent.embedding import Embedding
from domain.agent.escalation_reason import EscalationReason
from domain.agent.model_fault import PASSING
from domain.agent.model_patience import ModelPatience, wait_before_retry
from domain.agent.over_budget import over_budget_result
from domain.agent.policy_context import Spent
from domain.agent.ports import Embedder, SafetyNet
from domain.agent.shadow import kept_in_shadow
from domain.agent.thinking_result import ThinkingResult
from domain.core import names
from domain.core.contracts import RunRef
from domain.core.ids import TenantId
from domain.core.ports import Clock, NewId, Sealer
from domain.intake.customer_email import customer_key
from domain.learning.comparison import ShadowThought
from domain.privacy.erased_customer import refunded_as
from domain.runs.conversation import ANSWERS_PER_HOUR, ANSWERS_WITHOUT_PERSON
from domain.runs.later_turn import may_answer
from domain.runs.run import UNCLASSIFIED, RunDraft, review_reason
from domain.runs.sentiment import has_mood
from store.agent.model_calls import ModelCallRepository
from store.core.database import Database
from store.intake.attachments import AttachmentRepository
from store.learning.shadow_drafts import ShadowDrafts
from store.reviews.later_turns import LaterTurns
from store.runs.action_ledger import ActionLedger
from store.runs.cases import Case, CaseRepository
from store.runs.runs import RunRepository
from store.runs.sentiment import SentimentRepository


class Think:
    """The activity that drafts answers. Without an `embedder`, only keyword search finds knowledge.

    - `answers_per_hour`: the agent's maximum number of answers in a thread per hour.
    - `answers_without_person`: the maximum number of answers to a sender before a human joins.
    - `patience`: how long messages of a channel may wait for the model.
    - `orders`: the search for orders that a language model may read, or None.
    """

    def __init__(
        self,
        database: Database,
        brain_budget: BrainBudget,
        embedder: Embedder | None,
        now: Clock,
        new_id: NewId,
        *,
        net: SafetyNet,
        sealer: Sealer,
        answers_per_hour: int = ANSWERS_PER_HOUR,
        answers_without_person: int = ANSWERS_WITHOUT_PERSON,
        patience: ModelPatience | None = None,
        orders: OrderSearch | None = None,
    ) -> None:
        self._database = database
        self._brain_budget = brain_budget
        self._embedder = embedder
        self._net = net
        self._sealer = sealer
        self._now = now
        self._new_id = new_id
        self._answers_per_hour = answers_per_hour
        self._answers_without_person = answers_without_person
        self._patience = patience or {}
        self._orders = orders

    @activity.defn(name=names.THINK)
    async def think(self, step: ThinkInput) -> ThinkResult:
        """Classify the message, draft an answer, and plan the actions.

        Idempotency key: run_id. A stored result is not computed again. No transaction is open while
        the brain works. If the model fails, the embedded brain answers if it is certain. Otherwise,
        the message waits if it may, or goes to a human. Raises OverBudget unless `step.unread` is
        set.
        """
        started = time.monotonic()
        draft = await self._draft(TenantId(step.ref.client_id), step)
        if isinstance(draft, timedelta):
            return ThinkResult(
                classification=UNCLASSIFIED,
                confidence=0,
                review_reason=EscalationReason.MODEL_UNAVAILABLE,
                actions=(),
                elapsed_ms=(time.monotonic() - started) * 1000,
                model_wait_s=draft.total_seconds(),
            )
        return ThinkResult(
            classification=draft.classification,
            confidence=draft.confidence,
            review_reason=review_reason(draft, step.threshold),
            actions=tuple(action.kind for action in draft.plan),
            elapsed_ms=(time.monotonic() - started) * 1000,
            aside=draft.aside_of is not None,
        )

    async def about(self, tenant: TenantId, case: Case, ref: RunRef) -> ThinkingResult:
        """Return the brain's result for a case, without storing the result. Raises OverBudget,
        BrainFailed."""
        near = await near_question(self._database, tenant, self._embedder, case.event, live=True)
        async with self._database.tenant(tenant) as connection:
            context = await self._context(connection, tenant, case, ref, near)
        chosen = await self._brain_budget.choose(tenant)
        return await draft_answer(
            self._brain_budget, tenant, chosen, context, self._now, net=self._net, steps=0
        )

    async def _draft(self, tenant: TenantId, step: ThinkInput) -> RunDraft | timedelta:
        """Return the stored draft, or the time to wait for the language model. In the latter case,
        no draft is stored."""
        ref = step.ref
        if step.unread:
            return await self._leave_unread(tenant, step)
        async with self._database.tenant(tenant, keeps_plans=True) as connection:
            case = await CaseRepository(connection, tenant).read(ref.run_id)
            if case.draft is not None:
                return case.draft
            embedder = await useful_embedder(connection, tenant, self._embedder)
            if embedder is None:
                context = await self._context(connection, tenant, case, ref, None)
        if embedder is not None:
            near = await embedder.near(tenant, case.event.words, live=True)
            async with self._database.tenant(tenant, keeps_plans=True) as connection:
                context = await self._context(connection, tenant, case, ref, near)
        with recording(RecordedCalls(self._database, tenant, ref.run_id, self._now)):
            thought = await draft_or_fall_back(
                self._brain_budget, tenant, context, self._now, net=self._net, steps=step.steps
            )
        if not case.is_taken and (wait := self._wait(step, context, thought)):
            async with self._database.tenant(tenant) as connection:
                await RunRepository(connection, tenant).wait_for_model(ref.run_id, thought.answer)
            return wait
        return await self._keep(
            tenant,
            step,
            context,
            thought,
            has_mood=has_mood(case.event),
            joined=case.joined_review,
        )

    def _wait(self, step: ThinkInput, context: BrainContext, thought: ThinkingResult) -> timedelta:
        """Return the time until the language model is called again for this message, or zero."""
        reason = review_reason(RunDraft.of(thought), step.threshold)
        may_pass = thought.answer.fault in PASSING and not context.rulebook.shadow
        if not step.patient or not may_pass or reason is not EscalationReason.MODEL_UNAVAILABLE:
            return timedelta(0)
        return wait_before_retry(
            self._patience.get(context.event.channel, timedelta(0)),
            timedelta(seconds=step.model_waited_s),
            step.model_tries,
        )

    async def _leave_unread(self, tenant: TenantId, step: ThinkInput) -> RunDraft:
        """Store and return a draft, without processing the message or loading the client's
        content."""
        ref = step.ref
        async with self._database.tenant(tenant, keeps_plans=True) as connection:
            case = await CaseRepository(connection, tenant).read(ref.run_id)
            if case.draft is not None:
                return case.draft
            known = await connections(connection, tenant)
        context = self._with(case, ref, Gathered((), (), known, has_shop=False), Spent())
        thought = over_budget_result(context, self._now(), step.model_fault)
        return await self._keep(tenant, step, context, thought, has_mood=False)

    async def _context(
        self,
        connection: AsyncConnection,
        tenant: TenantId,
        case: Case,
        ref: RunRef,
        near: Embedding | None,
    ) -> BrainContext:
        gathered = await gather(
            connection, tenant, case.event, near, for_model=self._brain_budget.has_model
        )
        spent = await self._spent(connection, tenant, case, ref)
        files = await self._files(connection, tenant, case, ref)
        context = replace(self._with(case, ref, gathered, spent), attachments=files)
        if not self._brain_budget.has_model:
            return context
        orders = self._orders if gathered.has_shop else None
        return replace(
            context,
            tools=ModelTools(self._database, tenant, case.event, self._embedder, orders=orders),
        )

    async def _files(
        self, connection: AsyncConnection, tenant: TenantId, case: Case, ref: RunRef
    ) -> tuple[AttachmentPreview, ...]:
        """Return the message's attachments. Images include their content if a brain accepts
        images."""
        if not case.has_files:
            return ()
        repository = AttachmentRepository(connection, tenant)
        found = await repository.of_event(ref.event_id)
        shown = images_to_show(found) if self._brain_budget.sees_images else frozenset()
        return tuple(
            [
                AttachmentPreview(
                    name=one.name,
                    media_type=one.media_type,
                    size=one.size,
                    data=await repository.whole(one.id) if one.id in shown else None,
                )
                for one in found
            ]
        )

    def _with(self, case: Case, ref: RunRef, gathered: Gathered, spent: Spent) -> BrainContext:
        return BrainContext(
            event=case.event,
            brand_name=case.brand_name,
            rulebook=case.rulebook,
            system_prompt=case.system_prompt,
            guidance=case.guidance,
            templates=gathered.templates,
            passages=gathered.passages,
            knowledge=gathered.knowledge,
            examples=gathered.examples,
            turns=case.turns,
            summary=case.summary,
            lookup=case.lookup,
            connections=gathered.connections,
            spent=spent,
            has_shop=gathered.has_shop,
            own_head=gathered.own_head,
            thread=case.thread,
            run_id=ref.run_id,
            playbook=(case.playbook_id, case.playbook_version),
            sensitive_words=case.sensitive_words,
            frame=case.frame,
            answers_from_knowledge=case.answers_from_knowledge,
            answer_decision=case.answer_decision,
            turns_left=0
            if case.is_taken
            else min(
                self._answers_per_hour - case.automatic_turns,
                self._answers_without_person - case.unattended_turns,
            ),
        )

    async def _spent(
        self, connection: AsyncConnection, tenant: TenantId, case: Case, ref: RunRef
    ) -> Spent:
        order = case.lookup.order if case.lookup else None
        if order is None:
            return Spent()  # Order actions require an order.
        return await ActionLedger(connection, tenant).spent(
            order_key=order.key,
            order_number=order.number,
            customer=refunded_as(self._sealer, tenant, customer_key(case.event.customer_email)),
            currency=order.refundable.currency,
            not_by=ref.run_id,
            now=self._now(),
        )

    async def _keep(
        self,
        tenant: TenantId,
        step: ThinkInput,
        context: BrainContext,
        thought: ThinkingResult,
        *,
        has_mood: bool,
        joined: str | None = None,
    ) -> RunDraft:
        """Store the brain's result, and return the stored draft, possibly from an earlier attempt.

        In shadow mode, the actions are stored separately from the run. `joined` is the review that
        the message was added to, or None.
        """
        ref, tried, now = step.ref, None, self._now()
        if context.rulebook.shadow:
            reason = review_reason(RunDraft.of(thought), step.threshold)
            tried = ShadowThought.of(thought, reason)
            thought = kept_in_shadow(thought, context, reason, now)
        async with self._database.tenant(tenant, keeps_plans=True) as connection:
            aside_of = None
            if joined is not None:
                turns = LaterTurns(connection, tenant)
                waiting = await turns.matter(joined, ref.event_id, now)
                allowed = context.rulebook.during_review
                if waiting and may_answer(thought, step.threshold, waiting, allowed):
                    aside_of = joined
            runs = RunRepository(connection, tenant)
            if self._brain_budget.has_model:
                await ModelCallRepository(connection, tenant).forget(ref.run_id)
            if not await runs.save_thought(ref.run_id, thought, aside_of=aside_of):
                standing = (await CaseRepository(connection, tenant).read(ref.run_id)).draft
                return standing or RunDraft.of(thought)
            if tried is not None and thought.plan:
                await ShadowDrafts(connection, tenant).keep(
                    ref.run_id, context.playbook, tried, now
                )
            if has_mood:
                await SentimentRepository(connection, tenant).record(
                    ref.event_id,
                    thought.answer.sentiment,
                    now=self._now(),
                    new_id=self._new_id,
                    run_id=ref.run_id,
                )
        return RunDraft.of(thought).model_copy(update={"aside_of": aside_of})
