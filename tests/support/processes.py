"""Real processes of the service, as tests start and kill them."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from embedded.process import Child
from settings import Settings

ROOT = Path(__file__).resolve().parents[2]


def environment(settings: Settings, **more: str) -> dict[str, str]:
    """The environment that makes a process run with these settings."""
    secret = settings.engine_secret
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "PYTHONPATH": str(ROOT),
        "DATABASE_URL": settings.database_url,
        "TEMPORAL_ADDRESS": settings.temporal_address,
        "TEMPORAL_NAMESPACE": settings.temporal_namespace,
        "SEAL_KEY": settings.seal_key.get_secret_value(),
        "ENGINE_SECRET": secret.get_secret_value() if secret else "",
        "SMTP_URL": settings.smtp_url or "",
        **more,
    }


@contextmanager
def process(
    name: str, *arguments: str, settings: Settings, folder: Path, **env: str
) -> Iterator[Child]:
    """A Python process of the service; killed at the end if it still runs."""
    child = Child(
        name,
        [sys.executable, *arguments],
        log=folder / f"{name}.log",
        env=environment(settings, **env),
    )
    try:
        yield child
    finally:
        child.terminate()
        child.wait(10)
