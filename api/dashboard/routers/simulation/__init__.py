"""Dashboard pages for simulations and replays."""

from typing import Final

from api.dashboard.routers.simulation import replay_pages, simulator_pages

ROUTERS: Final = (simulator_pages.router, replay_pages.router)
