"""The baseline for usage reads: the same query in a bare FastAPI route. Run python -m
bench.bare_api.

It has no authentication, rate limits, logs, metrics or row-level security.
"""

import argparse
from typing import Final

import orjson
import uvicorn
from fastapi import FastAPI, Response
from sqlalchemy.ext.asyncio import create_async_engine

from adapters.system import utc_now
from domain.core.ids import TenantId
from domain.core.period import period_of
from store.billing.usage import UsageRepository
from store.core.database import psycopg_url

_POOL: Final = 10
"""The size of the connection pool, equal to that of the service."""


def bare_app(database_url: str) -> FastAPI:
    engine = create_async_engine(psycopg_url(database_url), pool_size=_POOL, max_overflow=0)
    app = FastAPI()

    @app.get("/api/billing/usage")
    async def usage(client_id: str) -> Response:
        period = period_of(utc_now())
        async with engine.connect() as connection:
            found = await UsageRepository(connection, TenantId(client_id)).in_month(period)
        record = {
            "plan": found.subscription.plan,
            "period": period,
            "tickets_used": found.tickets_used,
            "credits_balance": found.credits_balance,
        }
        return Response(orjson.dumps(record), media_type="application/json")

    return app


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database-url", required=True)
    parser.add_argument("--port", type=int, required=True)
    arguments = parser.parse_args()
    uvicorn.run(
        bare_app(arguments.database_url),
        port=arguments.port,
        loop="uvloop",
        http="httptools",
        log_config=None,
        access_log=False,
    )


if __name__ == "__main__":
    main()
