"""Erase a client or one customer: close access, terminate running workflows, remove the data, and
certify the erasure."""

from datetime import timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.privacy.erase import EraseRecords
    from domain.core import names
    from domain.privacy.contracts import EraseInput, EraseResult
    from workflows import options


@workflow.defn(name=names.ERASE)
class Erase:
    @workflow.run
    async def run(self, erase: EraseInput) -> EraseResult:
        """Erase the data in two passes.

        A running step may write more data, so the workflow waits for it before the second pass.
        That pass also finds workflows that Temporal listed late.
        """
        closed = await workflow.execute_activity_method(
            EraseRecords.close, erase, **options.ERASING
        )
        await self._remove_workflows(erase)
        await self._remove_rows(erase)
        if closed.under_way:
            await workflow.sleep(
                timedelta(seconds=erase.settle_s), summary="Until running work has ended"
            )
            await self._remove_rows(erase)
        await self._remove_workflows(erase)
        return await workflow.execute_activity_method(
            EraseRecords.certify, erase, **options.ERASING
        )

    async def _remove_workflows(self, erase: EraseInput) -> None:
        await workflow.execute_activity_method(
            EraseRecords.remove_workflows, erase, **options.ERASING
        )

    async def _remove_rows(self, erase: EraseInput) -> None:
        await workflow.execute_activity_method(EraseRecords.remove_rows, erase, **options.ERASING)
