"""All tables in one metadata, for migrations and for whoever walks over every table.

Tenant tables are keyed by (client_id, id), and their foreign keys carry client_id too, so that no
row can point into another tenant whatever the code does. Row-level security is the second wall:
`migrations/tenancy.py` puts it up.
"""

from importlib import import_module
from pathlib import Path

from store.core.schema import metadata

__all__ = ["metadata"]

for tables in sorted(Path(__file__).parent.glob("*/tables.py")):
    import_module(f"store.{tables.parent.name}.tables")
