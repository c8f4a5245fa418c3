"""Reconcile inbound webhooks, on a schedule: poll the platforms for changes whose webhooks were
missed, and send emails about data requests."""

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from activities.inbound.data_request_notices import DataRequestNotices
    from activities.inbound.poll import PollIntegrations
    from domain.core import names
    from domain.inbound.polling import PollInput, PollResult
    from workflows import options


@workflow.defn(name=names.RECONCILE_INBOUND)
class ReconcileInbound:
    @workflow.run
    async def run(self, poll: PollInput) -> PollResult:
        """Send the emails about data requests, then poll the platforms. A mail server failure does
        not stop the polling."""
        try:
            await workflow.execute_activity_method(DataRequestNotices.tell, **options.SWEEPING)
        except ActivityError as error:
            workflow.logger.warning("failed to notify owners of data requests", exc_info=error)
        return await workflow.execute_activity_method(
            PollIntegrations.poll, poll, **options.POLLING
        )
