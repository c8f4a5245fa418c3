"""One event, from admission to its outcome."""

from datetime import datetime, timedelta

from temporalio import workflow
from temporalio.common import SearchAttributeKey

with workflow.unsafe.imports_passed_through():
    from activities.execute import Execute
    from activities.normalize import Normalize
    from activities.persist import Persist
    from activities.review import Review
    from activities.think import Think
    from domain import names
    from domain.contracts import (
        ExecuteInput,
        ExecuteResult,
        NormalizeInput,
        PersistInput,
        ProcessEventInput,
        ReviewDecided,
        RunFacts,
        SettleReviewInput,
        ThinkInput,
        ThinkResult,
    )
    from domain.escalation import Decision, EscalationReason
    from domain.plan import ActionKind, StepOutcome
    from domain.run import (
        UNCLASSIFIED,
        RunStatus,
        Timings,
        leaves_process,
        status_of,
        steps_executed,
    )
    from workflows import options
    from workflows.failure import error_code

_RUN_STATUS = SearchAttributeKey.for_keyword(names.RUN_STATUS_ATTRIBUTE)
_CLASSIFICATION = SearchAttributeKey.for_keyword(names.CLASSIFICATION_ATTRIBUTE)


# Whatever fails in a step is caught in `run` and persisted. Other exceptions fail only the task,
# so that a bad deploy suspends parked runs instead of ending them (docs/decisions/0006).
@workflow.defn(name=names.PROCESS_EVENT)
class ProcessEvent:
    @workflow.init
    def __init__(self, event: ProcessEventInput) -> None:
        self._event = event
        self._thought: ThinkResult | None = None
        self._timings = Timings()
        self._round = 0
        self._answer: RunFacts | None = None
        self._outcome: RunFacts | None = None
        self._decision_announced = False

    @workflow.run
    async def run(self, _: ProcessEventInput) -> RunFacts:
        """Normalize, think, ask a human where it is not sure, execute, persist."""
        try:
            await self._normalize()
            thought = await self._think()
            doubt = thought.review_reason
            while True:
                if doubt is not None and not (await self._review(doubt)).executes:
                    break
                executed = await self._execute(thought.actions)
                status = status_of(executed.steps)
                if status is not RunStatus.NEEDS_REVIEW:
                    await self._persist(status, executed.steps)
                    break
                doubt = EscalationReason.TOOL_FAILURE
                self._round += 1
        except Exception as failure:  # noqa: BLE001 - whatever it was, the run's row must say so
            workflow.logger.warning("run failed", extra={"error_code": error_code(failure)})
            await self._persist(RunStatus.FAILED, (), error=error_code(failure))
        await workflow.wait_condition(workflow.all_handlers_finished)
        assert self._outcome is not None
        return self._outcome

    @workflow.update(name=names.ANSWER_UPDATE)
    async def answer(self) -> RunFacts:
        """The first outcome: what the gateway's caller is told."""
        await workflow.wait_condition(lambda: self._answer is not None)
        assert self._answer is not None
        return self._answer

    @workflow.signal(name=names.REVIEW_DECIDED_SIGNAL)
    def review_decided(self, _: ReviewDecided) -> None:
        """Look for the decision. Repeats and strangers are harmless: PostgreSQL has the say."""
        self._decision_announced = True

    async def _normalize(self) -> None:
        done = await workflow.execute_local_activity_method(
            Normalize.normalize, NormalizeInput(ref=self._event.ref), **options.INSIDE
        )
        self._timings = self._timings.model_copy(update={"normalize": done.elapsed_ms})

    async def _think(self) -> ThinkResult:
        question = ThinkInput(ref=self._event.ref, threshold=self._event.threshold)
        if self._event.remote_brain:
            thought = await workflow.execute_activity_method(
                Think.think, question, **options.REMOTE_BRAIN
            )
        else:
            thought = await workflow.execute_local_activity_method(
                Think.think, question, **options.INSIDE
            )
        self._thought = thought
        self._timings = self._timings.model_copy(update={"brain": thought.elapsed_ms})
        return thought

    async def _review(self, doubt: EscalationReason) -> Decision:
        """Park until a human has decided or the time to decide is over."""
        await self._persist(RunStatus.NEEDS_REVIEW, (), doubt=doubt)
        deadline = workflow.now() + timedelta(seconds=self._event.review_expiry_s)
        while True:
            expired = not await self._announced_before(deadline)
            settled = await workflow.execute_local_activity_method(
                Review.settle,
                SettleReviewInput(ref=self._event.ref, round=self._round, expired=expired),
                **options.INSIDE,
            )
            if settled.decision is not None:
                return settled.decision

    async def _announced_before(self, deadline: datetime) -> bool:
        try:
            await workflow.wait_condition(
                lambda: self._decision_announced, timeout=deadline - workflow.now()
            )
        except TimeoutError:
            return False
        self._decision_announced = False
        return True

    async def _execute(self, actions: tuple[ActionKind, ...]) -> ExecuteResult:
        order = ExecuteInput(ref=self._event.ref, round=self._round)
        if leaves_process(actions):
            done = await workflow.execute_activity_method(Execute.execute, order, **options.OUTSIDE)
        else:
            done = await workflow.execute_local_activity_method(
                Execute.execute, order, **options.INSIDE
            )
        self._timings = self._timings.model_copy(update={"execute": done.elapsed_ms})
        return done

    async def _persist(
        self,
        status: RunStatus,
        steps: tuple[StepOutcome, ...],
        *,
        doubt: EscalationReason | None = None,
        error: str = "",
    ) -> None:
        outcome = PersistInput(
            ref=self._event.ref,
            status=status,
            steps=steps,
            timings=self._timings,
            escalation=doubt,
            review_expiry_s=self._event.review_expiry_s,
            round=self._round,
            error_code=error,
        )
        if error:
            stored = await workflow.execute_activity_method(
                Persist.persist, outcome, **options.OUTCOME
            )
        else:
            stored = await workflow.execute_local_activity_method(
                Persist.persist, outcome, **options.INSIDE
            )
        self._outcome = self._facts(status, steps, stored.duration_ms)
        self._answer = self._answer or self._outcome
        self._show()

    def _facts(
        self, status: RunStatus, steps: tuple[StepOutcome, ...], duration_ms: int
    ) -> RunFacts:
        thought = self._thought
        return RunFacts(
            status=status,
            classification=thought.classification if thought else UNCLASSIFIED,
            confidence=thought.confidence if thought else 0,
            steps_executed=steps_executed(steps),
            duration_ms=duration_ms,
        )

    def _show(self) -> None:
        """Let operators see and filter by the outcome in the Temporal UI."""
        assert self._outcome is not None
        workflow.upsert_search_attributes(
            [
                _RUN_STATUS.value_set(self._outcome.status),
                _CLASSIFICATION.value_set(self._outcome.classification),
            ]
        )
