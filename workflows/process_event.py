"""Process one event, from admission to outcome."""

from datetime import datetime, timedelta

from temporalio import workflow
from temporalio.common import SearchAttributeKey
from temporalio.exceptions import ActivityError, FailureError

with workflow.unsafe.imports_passed_through():
    from activities.agent.look_up import LookUp
    from activities.intake.normalize import Normalize
    from activities.reviews.settle_review import SettleReview
    from activities.runs.execute import Execute
    from activities.runs.persist import Persist
    from domain.agent.contracts import LookUpInput, ThinkInput, ThinkResult
    from domain.agent.escalation_reason import EscalationReason
    from domain.agent.plan import ActionKind, StepOutcome
    from domain.agent.policy_decision import stopped_in_place
    from domain.core import names
    from domain.intake.contracts import NormalizeInput, NormalizeResult
    from domain.reviews.contracts import (
        ReviewDecided,
        ReviseReviewInput,
        SettleReviewInput,
    )
    from domain.runs.contracts import (
        ExecuteInput,
        ExecuteResult,
        PersistInput,
        ProcessEventInput,
        RunFacts,
        RunProgress,
        RunStep,
    )
    from domain.runs.run import (
        UNCLASSIFIED,
        RunStatus,
        Timings,
        leaves_process,
        reason_of,
        status_of,
        steps_executed,
    )
    from workflows import options
    from workflows.deliveries import start_deliveries
    from workflows.failure import ACTIONS_BUSY, MAIL_SERVERS_BUSY, error_code, nothing_done
    from workflows.followers import start_followers
    from workflows.inside import inside, look_up_inside, outside, within_budget
    from workflows.run_details import details_of
    from workflows.thinking import revise, think_patiently

_RUN_STATUS = SearchAttributeKey.for_keyword(names.RUN_STATUS_ATTRIBUTE)
_CLASSIFICATION = SearchAttributeKey.for_keyword(names.CLASSIFICATION_ATTRIBUTE)
_REVIEW_REASON = SearchAttributeKey.for_keyword(names.REVIEW_REASON_ATTRIBUTE)
_CLIENT = SearchAttributeKey.for_keyword(names.CLIENT_ATTRIBUTE)
_STOPPED = "stopped"


# Every failure of a step is caught and stored. Other exceptions fail only the workflow task, so
# that a faulty deployment suspends waiting runs instead of ending them (docs/decisions/0006).
@workflow.defn(name=names.PROCESS_EVENT)
class ProcessEvent:
    @workflow.init
    def __init__(self, event: ProcessEventInput) -> None:
        self._event = event
        self._thought: ThinkResult | None = None
        self._actions: tuple[ActionKind, ...] = ()
        self._timings = Timings()
        self._round = 0
        self._answer: RunFacts | None = None
        self._outcome: RunFacts | None = None
        self._decision_announced = False
        self._sent: set[str] = set()
        self._review_id = ""
        self._progress = RunProgress(run_id=event.ref.run_id, step=RunStep.NORMALIZE)
        self._thinking_took = timedelta(0)

    @workflow.run
    async def run(self, _: ProcessEventInput) -> RunFacts:
        """Process one event: normalize, look up the order, draft an answer, wait for review if
        needed, execute the plan, persist the outcome, and send webhooks."""
        try:
            filed = await self._normalize()
            joined = bool(filed.joined)
            thought = await self._read(filed, joined=joined)
        except FailureError as failure:
            await self._fail(failure)
        else:
            if thought is None or (joined and not thought.aside):
                await self._join(filed.joined)
            else:
                await self._carry_out(thought)
        self._at(RunStep.DONE)
        await workflow.wait_condition(workflow.all_handlers_finished)
        assert self._outcome is not None
        return self._outcome

    async def _read(self, filed: NormalizeResult, *, joined: bool) -> ThinkResult | None:
        """Look up the order, and draft an answer. Return None for an unread message that was added
        to a review.

        Raises FailureError only for a message outside a review.
        """
        if joined and not filed.considered:
            return None
        try:
            if filed.looks_up:
                await self._look_up()
            return await self._think(filed)
        except FailureError as failure:
            if not joined:
                raise
            workflow.logger.warning(
                "message not processed by the brain", extra={"error_code": error_code(failure)}
            )
            return None

    async def _carry_out(self, thought: ThinkResult) -> None:
        """Execute the drafted plan until it has an outcome, with reviews as needed. If the outcome
        of an effect is unknown, request another review."""
        doubt = thought.review_reason
        steps: tuple[StepOutcome, ...] = ()
        while True:
            if doubt is not None and not await self._review(doubt, steps):
                return
            try:
                done = await self._execute(self._actions)
            except FailureError as failure:
                # A plan with several steps goes to review because some of its steps may already
                # have been executed.
                if len(self._actions) == 1 and nothing_done(failure):
                    await self._fail(failure)
                    return
                status, steps = RunStatus.NEEDS_REVIEW, ()
            else:
                if done.joined:
                    await self._join(done.joined)
                    return
                steps, status = done.steps, status_of(done.steps)
            if status is not RunStatus.NEEDS_REVIEW:
                if not await self._persist(status, steps):
                    return
                steps = stopped_in_place(steps)
            doubt = reason_of(steps)
            self._round += 1

    async def _join(self, review_id: str) -> None:
        """Hand the message over to human agents in the review to which it was added. If the agent
        has read the message, first revise the review's draft and plan."""
        if self._thought is not None:
            step = ReviseReviewInput(ref=self._event.ref, review_id=review_id)
            await revise(step, remote=self._event.remote_brain)
        await self._persist(RunStatus.NEEDS_REVIEW, (), joined=review_id)

    async def _fail(self, failure: FailureError) -> None:
        code = error_code(failure)
        workflow.logger.warning("run failed", extra={"error_code": code})
        await self._persist(RunStatus.FAILED, (), error=code)

    @workflow.update(name=names.ANSWER_UPDATE)
    async def answer(self) -> RunFacts:
        """Return the first outcome of the run. The gateway returns it to the caller."""
        await workflow.wait_condition(lambda: self._answer is not None)
        assert self._answer is not None
        return self._answer

    @workflow.signal(name=names.REVIEW_DECIDED_SIGNAL)
    def review_decided(self, _: ReviewDecided) -> None:
        """Make the run check for a decision in PostgreSQL. Repeated and forged signals are
        harmless, because a signal contains no decision."""
        self._decision_announced = True

    @workflow.query(name=names.STATE_QUERY)
    def state(self) -> RunProgress:
        """Return the current state of the run."""
        return self._progress

    def _at(
        self,
        step: RunStep,
        *,
        review_id: str = "",
        reason: EscalationReason | None = None,
        expires_at: datetime | None = None,
    ) -> None:
        """Note the current state, which operators see in the Temporal UI."""
        self._progress = RunProgress(
            run_id=self._event.ref.run_id,
            step=step,
            status=None if self._outcome is None else self._outcome.status,
            round=self._round,
            review_id=review_id,
            reason=reason,
            expires_at=expires_at,
        )
        workflow.set_current_details(details_of(self._progress))

    async def _normalize(self) -> NormalizeResult:
        """Normalize the event. If it opens a conversation, start the webhooks about the new
        conversation before the message is processed."""
        step = NormalizeInput(ref=self._event.ref, reopened=self._event.reopened)
        filed = await within_budget(
            Normalize.normalize, step, step.model_copy(update={"cut": True})
        )
        self._timings = self._timings.model_copy(update={"normalize": filed.elapsed_ms})
        if filed.deliveries:
            await self._send_webhooks(filed.deliveries)
        return filed

    async def _look_up(self) -> None:
        """Look up the order. If the lookup fails, the run continues, and the agent answers with
        lower confidence."""
        self._at(RunStep.LOOK_UP)
        try:
            found = await look_up_inside(LookUp.look_up, LookUpInput(ref=self._event.ref))
        except FailureError as failure:
            workflow.logger.warning("lookup failed", extra={"error_code": error_code(failure)})
        else:
            self._timings = self._timings.model_copy(update={"lookup": found.elapsed_ms})

    async def _think(self, filed: NormalizeResult) -> ThinkResult:
        self._at(RunStep.THINK)
        ref, threshold = self._event.ref, self._event.threshold
        # A caller waits while the update `answer` is in progress.
        patient = workflow.all_handlers_finished() and not filed.joined
        question = ThinkInput(
            ref=ref, threshold=threshold, unread=filed.cut, steps=filed.steps, patient=patient
        )
        started = workflow.now()
        thought = await think_patiently(question, remote=self._event.remote_brain)
        self._thinking_took = workflow.now() - started
        self._thought, self._actions = thought, thought.actions
        self._timings = self._timings.model_copy(update={"brain": thought.elapsed_ms})
        return thought

    async def _review(self, doubt: EscalationReason, steps: tuple[StepOutcome, ...]) -> bool:
        """Request a review, and wait for a decision or the deadline. Return whether to execute the
        plan.

        After a human's takeover, return False.
        """
        joined = await self._persist(RunStatus.NEEDS_REVIEW, steps, doubt=doubt)
        if joined:
            await self._join(joined)
            return False
        deadline = workflow.now() + self._time_to_decide()
        self._at(RunStep.REVIEW, review_id=self._review_id, reason=doubt, expires_at=deadline)
        while True:
            expired = not await self._announced_before(deadline)
            step = SettleReviewInput(ref=self._event.ref, round=self._round, expired=expired)
            settled = await inside(SettleReview.settle, step)
            if settled.decision is not None:
                self._actions = self._actions if settled.actions is None else settled.actions
                return settled.decision.executes

    def _time_to_decide(self) -> timedelta:
        """Return the time left to decide a review. The total is the time of the first round plus
        LATE_ROUND, counted from the draft."""
        whole = timedelta(seconds=self._event.review_expiry_s)
        thought_at = workflow.info().start_time + self._thinking_took
        left = thought_at + whole + options.LATE_ROUND - workflow.now()
        return min(whole, left)

    async def _announced_before(self, deadline: datetime) -> bool:
        try:
            await workflow.wait_condition(
                lambda: self._decision_announced,
                timeout=deadline - workflow.now(),
                timeout_summary="The review expires",
            )
        except TimeoutError:
            return False
        self._decision_announced = False
        return True

    async def _execute(self, actions: tuple[ActionKind, ...]) -> ExecuteResult:
        self._at(RunStep.EXECUTE)
        order = ExecuteInput(ref=self._event.ref, round=self._round)
        if leaves_process(actions):
            done = await self._execute_outside(order)
        else:
            done = await inside(Execute.execute, order)
        self._timings = self._timings.model_copy(update={"execute": done.elapsed_ms})
        return done

    async def _execute_outside(self, order: ExecuteInput) -> ExecuteResult:
        """Execute the plan with external systems. They have more time once no caller is waiting, or
        if a step waits for a slot, which must not be lost."""
        if self._answer is None:
            try:
                return await workflow.execute_activity_method(
                    Execute.execute, order, **options.OUTSIDE
                )
            except ActivityError as failure:
                if not _waits_for_slot(failure):
                    raise
        return await workflow.execute_activity_method(
            Execute.execute, order, **options.OUTSIDE_PATIENT
        )

    async def _persist(
        self,
        status: RunStatus,
        steps: tuple[StepOutcome, ...],
        *,
        doubt: EscalationReason | None = None,
        error: str = "",
        joined: str = "",
    ) -> str:
        """Store an outcome of the run. Return "" or the reason why it was not stored: _STOPPED, or
        the review that the message joined."""
        outcome = PersistInput(
            ref=self._event.ref,
            status=status,
            steps=steps,
            timings=self._timings,
            escalation=doubt,
            review_expiry_s=self._time_to_decide().total_seconds(),
            round=self._round,
            error_code=error,
            joined=joined,
        )
        if error:
            stored = await outside(Persist.persist, outcome)
        else:
            stored = await inside(Persist.persist, outcome)
        if stored.joined or stored.stopped:
            return stored.joined or _STOPPED
        self._outcome = self._facts(status, steps, stored.duration_ms)
        self._answer = self._answer or self._outcome
        self._review_id = stored.review_id
        self._show(doubt)
        # The workflow task that starts the child workflows also returns the answer, so the caller
        # does not wait for them.
        await self._send_webhooks(stored.deliveries)
        await start_followers(self._event, stored)
        return ""

    async def _send_webhooks(self, pending: tuple[str, ...]) -> None:
        """Start the webhook deliveries that this run has not started yet. Deliveries from an
        earlier outcome may still be pending, and must not be started twice."""
        unsent = [delivery_id for delivery_id in pending if delivery_id not in self._sent]
        if unsent:
            self._sent.update(unsent)
            await start_deliveries(self._event.ref.client_id, unsent)

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

    def _show(self, doubt: EscalationReason | None) -> None:
        """Store the outcome as search attributes, which operators see in the Temporal UI."""
        assert self._outcome is not None
        workflow.upsert_search_attributes(
            [
                _CLIENT.value_set(self._event.ref.client_id),
                _RUN_STATUS.value_set(self._outcome.status),
                _CLASSIFICATION.value_set(self._outcome.classification),
                *([] if doubt is None else [_REVIEW_REASON.value_set(doubt)]),
            ]
        )


def _waits_for_slot(failure: ActivityError) -> bool:
    """Return True if the failed step was not started, because no slot was free."""
    return error_code(failure) in {MAIL_SERVERS_BUSY, ACTIONS_BUSY}
