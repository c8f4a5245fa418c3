"""Templates that a member inserts into a reply."""

from api.dashboard.page import Page
from domain.agent.frame import AnswerFrame
from domain.agent.greeting import greeted_name
from domain.agent.macro import inserted
from domain.agent.template import Filled
from domain.content.content import TemplateEntry
from store.content.content_changes import ContentChanges
from store.intake.events import EventRepository
from store.integrations.integrations import IntegrationRepository
from store.runs.found_order import found_order
from store.tenants.client_settings import SettingsRepository


async def macro_of(page: Page, event_id: str, template_id: str) -> Filled:
    """Return a template, filled in for the reply to a message. Raises ContentNotFound."""
    async with page.resources.database.reading(page.tenant) as connection:
        template = await ContentChanges(connection, page.tenant).read(TemplateEntry, template_id)
        event = await EventRepository(connection, page.tenant).unified(event_id)
        settings = await SettingsRepository(connection, page.tenant).read()
        has_shop = await IntegrationRepository(connection, page.tenant).has_shop()
        order = await found_order(connection, page.tenant, event_id)
    if event is None:
        return Filled(template.body)
    frame = AnswerFrame.of(
        settings.frame, brand_name=page.brand_name, customer_name=greeted_name(event)
    )
    return inserted(
        template,
        event,
        frame,
        brand_name=page.brand_name,
        has_shop=has_shop,
        order=order,
        today=page.now.date(),
    )
