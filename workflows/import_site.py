"""Import knowledge from a website, one page at a time."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from activities.content.import_site import ImportSites
    from domain.content.contracts import EndSiteImportInput, SiteProgress
    from domain.core import names
    from domain.core.contracts import BackgroundRef
    from workflows import options
    from workflows.failure import SITE_IMPORTS_BUSY, error_code


@workflow.defn(name=names.IMPORT_SITE)
class ImportSite:
    def __init__(self) -> None:
        self._progress = SiteProgress()

    @workflow.run
    async def run(self, work: BackgroundRef) -> SiteProgress:
        """Read all pages, and store each page's outcome at once. If the site cannot be read, the
        import ends as failed."""
        failed: str | None = None
        try:
            await self._read_all(work)
        except ActivityError as error:
            failed = error_code(error)
        await workflow.execute_activity_method(
            ImportSites.end,
            EndSiteImportInput(
                client_id=work.client_id, record_id=work.record_id, error_code=failed
            ),
            **options.PATIENT,
        )
        return self._progress

    @workflow.query(name=names.PROGRESS_QUERY)
    def progress(self) -> SiteProgress:
        """Return the progress of the import."""
        return self._progress

    async def _read_all(self, work: BackgroundRef) -> None:
        self._progress = await self._step(ImportSites.open, work, options.OPENING_SITE)
        while self._progress.has_more:
            self._progress = await self._step(ImportSites.read, work, options.READING_SITE)
            if self._progress.has_more and self._progress.pause_s:
                await workflow.sleep(timedelta(seconds=self._progress.pause_s))

    async def _step(
        self,
        step: Callable[[ImportSites, BackgroundRef], Awaitable[SiteProgress]],
        work: BackgroundRef,
        how: workflow.ActivityConfig,
    ) -> SiteProgress:
        """Run an activity, once the worker has a slot for it."""
        while True:
            try:
                return await workflow.execute_activity_method(step, work, **how)
            except ActivityError as failure:
                if error_code(failure) != SITE_IMPORTS_BUSY:
                    raise
