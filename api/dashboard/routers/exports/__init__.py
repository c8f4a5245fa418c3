"""Dashboard pages for exports."""

from typing import Final

from fastapi import APIRouter

ROUTERS: Final[tuple[APIRouter, ...]] = ()
