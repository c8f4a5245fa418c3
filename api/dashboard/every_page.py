"""The list of all page routers."""

from itertools import chain
from typing import Final

from api.dashboard.routers import (
    analytics,
    audit,
    billing,
    cases,
    content,
    copilot,
    core,
    customers,
    dashboard,
    exports,
    identity,
    inbound,
    intake,
    integrations,
    learning,
    playbooks,
    privacy,
    ratings,
    reviews,
    runs,
    simulation,
    tenants,
    webhooks,
    widget,
)

PAGE_ROUTERS: Final = tuple(
    chain.from_iterable(
        noun.ROUTERS
        for noun in (
            identity,
            ratings,
            core,
            dashboard,
            intake,
            reviews,
            runs,
            customers,
            playbooks,
            simulation,
            cases,
            learning,
            content,
            integrations,
            inbound,
            webhooks,
            tenants,
            widget,
            billing,
            analytics,
            privacy,
            exports,
            audit,
            copilot,
        )
    ),
)
