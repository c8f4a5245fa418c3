"""Run all of a client's saved cases, in batches."""

from typing import Final

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from activities.cases.try_cases import TryCases
    from domain.cases.contracts import CaseRunProgress, EndCaseRunInput, TryCasesInput
    from domain.core import names
    from domain.core.contracts import BackgroundRef
    from workflows import options
    from workflows.failure import CASE_RUNS_BUSY, error_code

# Number of cases per batch. Small batches show progress, and little work is repeated if a worker
# crashes.
_AT_ONCE: Final = 5


@workflow.defn(name=names.RUN_CASES)
class RunCases:
    def __init__(self) -> None:
        self._progress = CaseRunProgress()

    @workflow.run
    async def run(self, work: BackgroundRef) -> CaseRunProgress:
        """Run all cases, and store each result at once. If a batch fails, the case run ends as
        failed."""
        failed: str | None = None
        try:
            await self._try_all(work)
        except ActivityError as error:
            failed = error_code(error)
        await workflow.execute_activity_method(
            TryCases.end,
            EndCaseRunInput(client_id=work.client_id, record_id=work.record_id, error_code=failed),
            **options.PATIENT,
        )
        return self._progress

    @workflow.query(name=names.PROGRESS_QUERY)
    def progress(self) -> CaseRunProgress:
        """Return the progress of the case run."""
        return self._progress

    async def _try_all(self, work: BackgroundRef) -> None:
        plan = await workflow.execute_activity_method(TryCases.begin, work, **options.PATIENT)
        total = len(plan.case_ids)
        self._progress = CaseRunProgress(total=total)
        for first in range(0, total, _AT_ONCE):
            some = plan.case_ids[first : first + _AT_ONCE]
            step = TryCasesInput(
                client_id=work.client_id,
                record_id=work.record_id,
                case_ids=some,
                done=first + len(some),
            )
            self._progress = await self._try_some(step)

    async def _try_some(self, step: TryCasesInput) -> CaseRunProgress:
        """Run a batch of cases as soon as the worker has a free slot."""
        while True:
            try:
                return await workflow.execute_activity_method(
                    TryCases.try_some, step, **options.TRYING
                )
            except ActivityError as failure:
                if error_code(failure) != CASE_RUNS_BUSY:
                    raise
