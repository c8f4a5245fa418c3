"""Lists of a client's customers, latest contact first, and the search for customers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from domain.customers.customer import Customer
from domain.customers.customer_words import searched_words
from domain.customers.errors import CustomerNotFound
from domain.integrations.known_order import number_key
from store.core.repository import TenantRepository, owner_of
from store.customers.tables import customers
from store.runs.run_finding import RunFinder

EXAMINED: Final = 1_000
"""Maximum number of customers that one search examines. The search examines the customers who have
a matching word, in the order of these words."""

_MOST_OF_ORDER: Final = 20
_COLUMNS: Final = """customer.id, customer.key AS email, customer.name, customer.is_verified,
           customer.first_contact_at, customer.last_contact_at"""
_IS_BEFORE: Final = """(customer.last_contact_at, customer.id) <
          (coalesce(CAST(:at AS timestamptz), 'infinity'), CAST(:id AS text))"""
_PAGE: Final = sa.text(f"""
    SELECT {_COLUMNS} FROM customers AS customer
    WHERE client_id = :client_id AND {_IS_BEFORE}
    ORDER BY last_contact_at DESC, id DESC LIMIT :limit
""")  # noqa: S608 - our own SQL
# The longest word is searched first because it matches the fewest customers.
_FOUND: Final = f"""
    WITH named AS (
        SELECT customer_id AS id FROM (
            SELECT customer_id FROM customer_words
            WHERE client_id = :client_id AND word >= :low0 AND word < :high0
            ORDER BY word, customer_id LIMIT :examined
        ) AS beginning
        UNION
        SELECT id FROM customers WHERE client_id = :client_id AND key = ANY(:keys)
    )
    SELECT {_COLUMNS} FROM named CROSS JOIN LATERAL (
        SELECT * FROM customers WHERE client_id = :client_id AND id = named.id OFFSET 0
    ) AS customer
    WHERE {_IS_BEFORE} AND (customer.key = ANY(:keys) OR (true {{others}}))
    ORDER BY last_contact_at DESC, id DESC LIMIT :limit
"""  # noqa: S608 - likewise
_OTHER: Final = """AND EXISTS (
        SELECT FROM customer_words AS other
        WHERE other.client_id = :client_id AND other.customer_id = customer.id
          AND other.word >= :low{place} AND other.word < :high{place})"""
_KEYS_OF_ORDER: Final = sa.text("""
    SELECT DISTINCT customer_key FROM (
        SELECT customer_key FROM order_facts
        WHERE client_id = :client_id AND number = :number LIMIT :limit
    ) AS known WHERE customer_key IS NOT NULL
""")
_KEYS_OF_RUNS: Final = sa.text("""
    SELECT DISTINCT message.normalized_key FROM engine_runs AS run
    JOIN engine_messages AS message
      ON message.client_id = run.client_id AND message.event_id = run.event_id
     AND message.direction = 'inbound'
    WHERE run.client_id = :client_id AND run.id = ANY(:runs)
      AND message.normalized_key IS NOT NULL
""")
_ONE: Final = sa.text(f"""
    SELECT {_COLUMNS} FROM customers AS customer WHERE client_id = :client_id AND id = :customer_id
""")  # noqa: S608 - likewise
_BY_KEY: Final = sa.text(f"""
    SELECT {_COLUMNS} FROM customers AS customer WHERE client_id = :client_id AND key = ANY(:keys)
""")  # noqa: S608 - likewise
_LOCKED: Final = sa.text(f"{_ONE.text} FOR NO KEY UPDATE")


@dataclass(frozen=True, slots=True)
class CustomerPlace:
    """The cursor for a list of customers: the last customer on the previous page."""

    at: datetime
    id: str


class CustomerLists(TenantRepository):
    async def page(
        self, text: str, *, after: CustomerPlace | None, limit: int
    ) -> tuple[list[Customer], CustomerPlace | None]:
        """Return a page of customers, latest contact first, and the cursor for the next page, or
        None.

        `after` is the previous cursor, or None. `text` is an order number, or word prefixes that
        must all match in the name and address. A search examines at most EXAMINED customers.
        """
        given: dict[str, object] = {
            "client_id": self._tenant,
            "at": after.at if after else None,
            "id": after.id if after else "",
            "limit": limit + 1,
        }
        query = _PAGE
        if text.strip():
            words = searched_words(text)
            query, ranges = _search(words)
            keys = await self._keys_of_order(text)
            if not words and not keys:
                return [], None
            given |= {**ranges, "keys": keys, "examined": EXAMINED}
        rows = await self._connection.execute(query, given)
        found = [_customer(row) for row in rows]
        if len(found) <= limit:
            return found, None
        last = found[limit - 1]
        return found[:limit], CustomerPlace(last.last_contact_at, last.id)

    async def read(self, customer_id: str) -> Customer:
        """Return a customer. Raises CustomerNotFound."""
        return await self._read(_ONE, customer_id)

    async def by_keys(self, keys: Sequence[str]) -> dict[str, Customer]:
        """Return the known customers with these addresses (`customer_key`), by address."""
        rows = await self._connection.execute(
            _BY_KEY, {"client_id": self._tenant, "keys": list(keys)}
        )
        return {one.email: one for one in map(_customer, rows)}

    async def locked(self, customer_id: str) -> Customer:
        """Return a customer whose row is locked until the transaction ends. Raises
        CustomerNotFound."""
        return await self._read(_LOCKED, customer_id)

    async def _read(self, query: sa.TextClause, customer_id: str) -> Customer:
        this = {"client_id": self._tenant, "customer_id": customer_id}
        return _customer(await self._one(query, this, CustomerNotFound(customer_id)))

    async def _keys_of_order(self, text: str) -> list[str]:
        """Return the addresses of customers with an order of this number, from the indexed order
        facts, else from the latest runs."""
        number = number_key(text)
        if number is None or not any(one.isdigit() for one in number) or "@" in number:
            return []
        given = {"client_id": self._tenant, "number": number, "limit": _MOST_OF_ORDER}
        keys = list(await self._connection.scalars(_KEYS_OF_ORDER, given))
        if keys:
            return keys
        runs = await RunFinder(self._connection, self._tenant).of_order(
            text.strip().removeprefix("#").strip(), limit=_MOST_OF_ORDER
        )
        return list(
            await self._connection.scalars(
                _KEYS_OF_RUNS, {"client_id": self._tenant, "runs": list(runs)}
            )
        )


def _search(words: Sequence[str]) -> tuple[sa.TextClause, dict[str, str]]:
    """Return the statement that searches for all of these words, and the statement's parameters:
    the range of words that start with each of them."""
    longest = sorted(words, key=len, reverse=True) or [""]
    ranges: dict[str, str] = {}
    for place, word in enumerate(longest):
        ranges |= {f"low{place}": word, f"high{place}": f"{word}\U0010ffff" if word else ""}
    others = " ".join(_OTHER.format(place=place) for place in range(1, len(longest)))
    return sa.text(_FOUND.format(others=others)), ranges


def _customer(row: "sa.Row[*tuple[Any, ...]]") -> Customer:
    return Customer.model_validate(row, from_attributes=True)


client_of_customer: Final = owner_of(customers, CustomerNotFound)
