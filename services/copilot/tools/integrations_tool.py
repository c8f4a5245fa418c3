"""The copilot tool that reads connections to shops and helpdesks, without their credentials."""

from datetime import datetime
from typing import Final

from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, ToolFindings
from domain.integrations.integration import IntegrationStatus
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from store.integrations.integrations import IntegrationRepository


class IntegrationsAsked(CopilotInput):
    """This tool takes no arguments."""


class ConnectionFacts(CopilotFacts):
    """A connection to a shop or helpdesk. `error_code`: the reason why the connection failed, or
    why the provider rejected its last call."""

    integration_id: str
    provider: str
    status: IntegrationStatus
    error_code: str | None
    connected_at: datetime
    disconnected_at: datetime | None


class IntegrationsFound(CopilotFacts):
    integrations: tuple[ConnectionFacts, ...]


async def _list(copilot: CopilotService, _: IntegrationsAsked) -> ToolFindings[IntegrationsFound]:
    async with copilot.database.reading(copilot.tenant) as connection:
        found = await IntegrationRepository(connection, copilot.tenant).entries()
    facts = tuple(
        ConnectionFacts(
            integration_id=one.id,
            provider=one.provider,
            status=one.status,
            error_code=one.error_code,
            connected_at=one.connected_at,
            disconnected_at=one.disconnected_at,
        )
        for one in found
    )
    return ToolFindings(
        IntegrationsFound(integrations=facts),
        tuple(
            copilot.cite(CitedKind.INTEGRATION, one.integration_id, one.provider) for one in facts
        ),
    )


READ_INTEGRATIONS: Final = ReadTool(
    "read_integrations",
    "The connected shops and helpdesks, with the status of each connection.",
    ANYONE,
    ("GET", "/api/dashboard/integrations"),
    IntegrationsAsked,
    _list,
)
