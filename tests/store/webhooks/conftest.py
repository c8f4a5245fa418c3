import pytest

from store.core.database import Database
from tests.support.tenants.shop import Shop
from tests.support.webhooks.deliveries import Hooks


@pytest.fixture
def mine(database: Database, shop: Shop) -> Hooks:
    return Hooks(database, shop)
