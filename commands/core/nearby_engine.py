"""The engine client for commands. It starts workflows on a Temporal server, which might not be
configured."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from domain.core.contracts import BackgroundRef, RunRef
from domain.core.errors import EngineUnavailable

if TYPE_CHECKING:
    from adapters.temporal.client import TemporalEngine
    from domain.identity.contracts import SendMailInput
    from domain.inbound.contracts import ProcessWebhookInput


class NearbyEngine:
    """A `Starter` for commands, which connects to Temporal only to start a workflow. Without
    Temporal, the periodic sweep starts it later."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    async def wake(self, ref: RunRef, escalation_id: str) -> bool:
        engine = await self._engine()
        return engine is not None and await engine.wake(ref, escalation_id)

    async def send_webhooks(self, client_id: str, delivery_ids: Sequence[str]) -> None:
        engine = await self._engine()
        if engine is not None:
            await engine.send_webhooks(client_id, delivery_ids)

    async def begin(self, workflow: str, work: BackgroundRef) -> bool:
        engine = await self._engine()
        return engine is not None and await engine.begin(workflow, work)

    async def process_webhook(self, webhook: "ProcessWebhookInput", *, wake: bool = False) -> bool:
        engine = await self._engine()
        return engine is not None and await engine.process_webhook(webhook, wake=wake)

    async def mail(self, mail: "SendMailInput") -> None:
        """Start the workflow that sends an email. Raises EngineUnavailable if Temporal is not
        configured or cannot be reached, because the sweep does not start email workflows."""
        engine = await self._engine()
        if engine is None:
            raise EngineUnavailable("TEMPORAL_ADDRESS is not set, so the email was not sent")
        await engine.mail(mail)

    async def _engine(self) -> "TemporalEngine | None":
        if not self._environment.get("TEMPORAL_ADDRESS"):
            return None
        # The module is imported here because Temporal's client takes half a second to load. Few
        # commands start a workflow.
        from adapters.temporal.client import TemporalEngine  # noqa: PLC0415
        from adapters.temporal.connection import connect  # noqa: PLC0415
        from settings import load_temporal  # noqa: PLC0415

        return TemporalEngine(await connect(load_temporal(self._environment), lazy=True))
