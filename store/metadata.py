"""All tables in one metadata, for migrations and for whoever walks over every table.

Tenant tables are keyed by (client_id, id), and their foreign keys carry client_id too, so that no
row can point into another tenant whatever the code does. Row-level security is the second wall:
`migrations/tenancy.py` puts it up.
"""

from store.analytics import tables as analytics_tables
from store.billing import tables as billing_tables
from store.content import tables as content_tables
from store.core import tables as core_tables
from store.core.schema import metadata
from store.exports import tables as exports_tables
from store.intake import tables as intake_tables
from store.integrations import tables as integrations_tables
from store.playbooks import tables as playbooks_tables
from store.privacy import tables as privacy_tables
from store.reviews import tables as reviews_tables
from store.runs import tables as runs_tables
from store.tenants import tables as tenants_tables
from store.webhooks import tables as webhooks_tables

__all__ = ["metadata"]

TABLES = (
    analytics_tables,
    billing_tables,
    content_tables,
    core_tables,
    exports_tables,
    intake_tables,
    integrations_tables,
    playbooks_tables,
    privacy_tables,
    reviews_tables,
    runs_tables,
    tenants_tables,
    webhooks_tables,
)
