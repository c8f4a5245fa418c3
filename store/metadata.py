"""All tables in one metadata object, for migrations and code that iterates over tables.

Tenant tables have the primary key (client_id, id), and foreign keys include client_id. A row
therefore cannot reference another tenant's row. Row-level security is the second barrier
(`migrations/tenancy.py`).
"""

import store.agent.tables
import store.analytics.tables
import store.audit.tables
import store.billing.tables
import store.cases.tables
import store.content.tables
import store.core.tables
import store.customers.tables
import store.dashboard.tables
import store.exports.tables
import store.identity.tables
import store.inbound.tables
import store.intake.tables
import store.integrations.tables
import store.learning.tables
import store.playbooks.tables
import store.privacy.tables
import store.ratings.tables
import store.reviews.tables
import store.runs.tables
import store.simulation.tables
import store.tenants.tables
import store.webhooks.tables
import store.widget.tables
from store.core.schema import metadata

__all__ = ["metadata"]
