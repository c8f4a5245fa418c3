"""A shop page whose messages match no playbook."""

import pytest

from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import open_shop
from tests.support.widget.page import WidgetPage, page_of


@pytest.fixture
async def page(front: LiveEngine) -> WidgetPage:
    """A page whose messages are stored and answered at once, without a run."""
    return await page_of(front, await open_shop(front.database, event_type="shopify.*"))
