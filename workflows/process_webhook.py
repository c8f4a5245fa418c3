"""One webhook that came in, from its stored bytes to its effect."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from domain.core import names
    from domain.inbound.contracts import ProcessWebhookInput


@workflow.defn(name=names.PROCESS_WEBHOOK)
class ProcessWebhook:
    @workflow.run
    async def run(self, step: ProcessWebhookInput) -> None:
        """Work on it until it has ended; start its run, and those whose turn it is then."""
        raise NotImplementedError
