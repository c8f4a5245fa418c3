"""Start webhook deliveries outside a run: deliveries of events without a run, repeated deliveries,
and deliveries left over after a crash."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from domain.core import names
    from domain.webhooks.contracts import SendWebhooksInput
    from workflows.deliveries import start_deliveries


@workflow.defn(name=names.SEND_WEBHOOKS)
class SendWebhooks:
    @workflow.run
    async def run(self, sending: SendWebhooksInput) -> None:
        await start_deliveries(sending.client_id, sending.delivery_ids)
