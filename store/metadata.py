"""All tables in one metadata, for migrations and for code that iterates over every table.

Tenant tables are keyed by (client_id, id), and their foreign keys include client_id too. So no row
can reference another tenant, even if the code has an error. Row-level security is the second
barrier, set up by `migrations/tenancy.py`.
"""

import store.analytics.tables
import store.audit.tables
import store.billing.tables
import store.cases.tables
import store.content.tables
import store.core.tables
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
