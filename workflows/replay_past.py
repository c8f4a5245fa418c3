"""Replay past events, page by page, until no events are left or the replay is stopped."""

from temporalio import workflow
from temporalio.exceptions import FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from activities.simulation.replay_page import ReplayPages
    from domain.core import names
    from domain.core.contracts import BackgroundRef
    from domain.simulation.contracts import ReplayProgress
    from workflows import options


@workflow.defn(name=names.REPLAY)
class ReplayPast:
    def __init__(self) -> None:
        self._progress = ReplayProgress()

    @workflow.run
    async def run(self, work: BackgroundRef) -> ReplayProgress:
        """Replay all pages of events. The position is stored in the database, so that a new
        workflow history can continue from it."""
        try:
            self._progress = await workflow.execute_activity_method(
                ReplayPages.begin, work, **options.REPLAYING
            )
            while not self._progress.is_over:
                if workflow.info().is_continue_as_new_suggested():
                    workflow.continue_as_new(work)
                self._progress = await workflow.execute_activity_method(
                    ReplayPages.page, work, **options.REPLAYING
                )
        except FailureError as failure:
            if is_cancelled_exception(failure):
                raise
            await workflow.execute_activity_method(ReplayPages.fail, work, **options.PATIENT)
            raise
        return self._progress

    @workflow.query(name=names.PROGRESS_QUERY)
    def progress(self) -> ReplayProgress:
        """Return the progress of the replay."""
        return self._progress
