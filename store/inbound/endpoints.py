"""The inbound webhook endpoints of integrations. Tokens are stored as digests, and secrets are
stored sealed."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.inbound.endpoint import AccountOwner, EndpointEntry, OpenEndpoint
from domain.inbound.errors import EndpointNotFound
from domain.integrations.integration import COMPLIANCE_REQUESTS_LAST, IntegrationStatus, provider_of
from domain.integrations.providers import Provider
from store.core.repository import TenantRepository
from store.inbound.tables import inbound_endpoints
from store.integrations.tables import integrations

_SINCE: Final = sa.bindparam("since", type_=sa.DateTime(True))
_OPEN: Final = sa.text(
    "SELECT client_id, integration_id, provider, sealed_secret, sealed_previous_secret, is_live,"
    " vouches FROM inbound_endpoint(:digest, :at, :since)"
).bindparams(
    sa.bindparam("digest", type_=sa.LargeBinary),
    sa.bindparam("at", type_=sa.DateTime(True)),
    _SINCE,
)
_OF_ACCOUNT: Final = sa.text(
    "SELECT client_id, integration_id, is_live"
    " FROM integrations_of_account(:platform, :account, :since)"
).bindparams(_SINCE)
_endpoint: Final = inbound_endpoints.c
_ENTRY: Final = (
    sa.select(
        _endpoint.integration_id,
        integrations.c.provider,
        _endpoint.sealed_secret.is_not(None).label("has_secret"),
        _endpoint.mapping,
        _endpoint.vouches,
        _endpoint.opened_at,
        _endpoint.rotated_at,
        _endpoint.previous_until,
    )
    .join_from(
        inbound_endpoints,
        integrations,
        (integrations.c.client_id == _endpoint.client_id)
        & (integrations.c.id == _endpoint.integration_id),
    )
    .where(
        _endpoint.client_id == sa.bindparam("tenant"),
        _endpoint.integration_id == sa.bindparam("integration"),
    )
)


@dataclass(frozen=True, slots=True)
class NewEndpoint:
    integration_id: str
    token_digest: bytes = field(repr=False)
    sealed_secret: str | None = field(repr=False)
    mapping: Mapping[str, str] | None = None
    vouches: bool = True


@dataclass(frozen=True, slots=True)
class EndpointChange:
    """The new values for rotating an endpoint. None leaves a value unchanged."""

    token_digest: bytes | None = field(default=None, repr=False)
    sealed_secret: str | None = field(default=None, repr=False)
    vouches: bool = True


async def find_endpoint(
    connection: AsyncConnection, digest: bytes, now: datetime
) -> OpenEndpoint | None:
    """Return the endpoint with this token digest, regardless of its client, or None. Requires a
    connection from `Database.unscoped`."""
    this = {"digest": digest, "at": now, "since": now - COMPLIANCE_REQUESTS_LAST}
    found = await connection.execute(_OPEN, this)
    row = found.one_or_none()
    if row is None:
        return None
    return OpenEndpoint(
        tenant=TenantId(row.client_id),
        integration_id=row.integration_id,
        provider=provider_of(row.integration_id, row.provider),
        sealed_secret=row.sealed_secret,
        sealed_previous_secret=row.sealed_previous_secret,
        is_live=row.is_live,
        vouches=row.vouches,
    )


async def integrations_of_account(
    connection: AsyncConnection, provider: Provider, account: str, now: datetime
) -> tuple[AccountOwner, ...]:
    """Return all clients' integrations that have authenticated with this platform account. They are
    live if the platform accepts their credentials. Requires a connection from
    `Database.unscoped`."""
    this = {"platform": provider, "account": account, "since": now - COMPLIANCE_REQUESTS_LAST}
    rows = await connection.execute(_OF_ACCOUNT, this)
    return tuple(
        AccountOwner(TenantId(row.client_id), row.integration_id, row.is_live) for row in rows
    )


def _if_vouched(column: "sa.ColumnElement[Any]") -> "sa.ColumnElement[Any]":
    return sa.case((_endpoint.vouches, column), else_=sa.null())


class EndpointRepository(TenantRepository):
    async def entry(self, integration_id: str) -> EndpointEntry:
        """Return the public form of an integration's endpoint. Raises EndpointNotFound."""
        found = await self.find(integration_id)
        if found is None:
            raise EndpointNotFound(integration_id)
        return found

    async def find(self, integration_id: str) -> EndpointEntry | None:
        """Return the public form of an integration's endpoint, or None if there is no endpoint."""
        this = {"tenant": self._tenant, "integration": integration_id}
        row = (await self._connection.execute(_ENTRY, this)).one_or_none()
        if row is None:
            return None
        provider_of(row.integration_id, row.provider)
        return EndpointEntry.model_validate(row, from_attributes=True)

    async def mapping(self, integration_id: str) -> Mapping[str, str]:
        """Return the field mapping of a generic endpoint. Return an empty mapping if there is no
        mapping or no endpoint."""
        found: Mapping[str, str] | None = await self._connection.scalar(
            sa.select(_endpoint.mapping).where(*self._this(integration_id))
        )
        return found or {}

    async def open(self, endpoint: NewEndpoint, now: datetime) -> bool:
        """Store an endpoint. Return False and change nothing if the integration already has an
        endpoint."""
        made = await self._connection.scalar(
            insert(inbound_endpoints)
            .values(
                client_id=self._tenant,
                integration_id=endpoint.integration_id,
                token_digest=endpoint.token_digest,
                sealed_secret=endpoint.sealed_secret,
                mapping=endpoint.mapping,
                vouches=endpoint.vouches,
                opened_at=now,
            )
            .on_conflict_do_nothing(index_elements=[_endpoint.client_id, _endpoint.integration_id])
            .returning(_endpoint.integration_id)
        )
        return made is not None

    async def rotate(
        self,
        integration_id: str,
        change: EndpointChange,
        *,
        previous_until: datetime,
        now: datetime,
    ) -> None:
        """Replace the token, the secret or both. The previous value stays valid until
        `previous_until`, unless that time has passed.

        At most one previous token and secret are kept. A value that may not vouch for customers is
        discarded, because it would gain that right from its successor. Raises EndpointNotFound.
        """
        # If only the token or only the secret is replaced, the other's previous value is kept. It
        # stays valid until the same time.
        values: dict[str, object] = {"rotated_at": now, "previous_until": previous_until}
        values["vouches"] = change.vouches
        if change.token_digest is not None:
            values["token_digest"] = change.token_digest
            values["previous_token_digest"] = _if_vouched(_endpoint.token_digest)
        if change.sealed_secret is not None:
            values["sealed_secret"] = change.sealed_secret
            values["sealed_previous_secret"] = _if_vouched(_endpoint.sealed_secret)
        # A previous value that has expired must not become valid again.
        is_over = _endpoint.previous_until <= now
        for name in ("previous_token_digest", "sealed_previous_secret"):
            values.setdefault(name, sa.case((is_over, sa.null()), else_=_endpoint[name]))
        changed = await self._connection.execute(
            sa.update(inbound_endpoints).where(*self._this(integration_id)).values(**values)
        )
        if not changed.rowcount:
            raise EndpointNotFound(integration_id)

    async def vouch(self, integration_id: str, since: datetime | None) -> bool:
        """Allow an endpoint's token and secret, created at `since`, to vouch for customers. Return
        False if either has been replaced since then."""
        made_at = sa.func.coalesce(_endpoint.rotated_at, _endpoint.opened_at)
        changed = await self._connection.execute(
            sa.update(inbound_endpoints)
            .where(*self._this(integration_id), made_at == since)
            .values(vouches=True)
        )
        return bool(changed.rowcount)

    async def close(self, integration_id: str) -> None:
        """Delete an integration's endpoint and its secrets, if there is one."""
        await self._connection.execute(
            sa.delete(inbound_endpoints).where(*self._this(integration_id))
        )

    async def close_ended(self, *, but_of: Collection[Provider]) -> None:
        """Delete the endpoints of disconnected integrations. `but_of`: the providers whose
        endpoints are kept because these providers still send compliance requests."""
        ended = sa.select(integrations.c.id).where(
            integrations.c.client_id == self._tenant,
            integrations.c.status == IntegrationStatus.DISCONNECTED,
            integrations.c.provider.not_in(sorted(but_of)),
        )
        await self._connection.execute(
            sa.delete(inbound_endpoints).where(
                _endpoint.client_id == self._tenant, _endpoint.integration_id.in_(ended)
            )
        )

    def _this(self, integration_id: str) -> tuple[sa.ColumnElement[bool], ...]:
        return _endpoint.client_id == self._tenant, _endpoint.integration_id == integration_id
