"""Having deliveries sent that were written by no unit of work. It goes with the last such place."""

import structlog

from api.services import Services
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId

_log = structlog.get_logger(__name__)


async def have_sent(services: Services, tenant: TenantId, *delivery_ids: str) -> None:
    """After their commit. Whatever cannot be started now the sweeper starts."""
    if not delivery_ids:
        return
    try:
        await services.engine.send_webhooks(tenant, delivery_ids)
    except EngineUnavailable as error:
        _log.warning("deliveries not started", delivery_id=delivery_ids[0], code=error.code)
