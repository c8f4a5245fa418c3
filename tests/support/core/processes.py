"""Real processes of the service, as tests start and kill them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from settings import Settings
from tests.support.core.forks import ROOT, Forked, clean_environment


def environment(settings: Settings, **more: str) -> dict[str, str]:
    """The environment that makes a process run with these settings."""
    secret = settings.identity.engine_secret
    return clean_environment(
        PYTHONPATH=str(ROOT),
        DATABASE_URL=settings.database.url,
        TEMPORAL_ADDRESS=settings.temporal.address,
        TEMPORAL_NAMESPACE=settings.temporal.namespace,
        SEAL_KEY=settings.seal.key.get_secret_value(),
        ENGINE_SECRET=secret.get_secret_value() if secret else "",
        SMTP_URL=settings.mail.smtp_url or "",
        # No load balancer looks at most tests' API.
        **{"DRAIN_S": "0", "ERROR_SPOOL": str(_spool_of(settings)), **more},
    )


def _spool_of(settings: Settings) -> Path:
    """A spool of the processes alone: what a killed one leaves is not for the engine's own."""
    return settings.watch.error_spool / "of-processes"


class Process(Forked):
    """A program at work, with its log in a file. `arguments` as Forked's."""

    def __init__(self, *arguments: str, log: Path, env: dict[str, str]) -> None:
        self.log = log
        with log.open("ab") as out:
            super().__init__(*arguments, out=out, err=out, env=env)

    def log_tail(self, lines: int = 15) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


async def has_ended(child: Forked) -> bool:
    return child.exit_code is not None


@contextmanager
def process(
    name: str, *arguments: str, settings: Settings, folder: Path, **env: str
) -> Iterator[Process]:
    """A Python process of the service; killed at the end if it still runs."""
    env = {"ERROR_SPOOL": str(folder / "error-reports"), **env}
    child = Process(*arguments, log=folder / f"{name}.log", env=environment(settings, **env))
    try:
        yield child
    finally:
        child.terminate()
        child.wait(10)
