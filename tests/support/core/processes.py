"""Real processes of the service, which tests start and kill."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from settings import Settings
from tests.support.core.forks import ROOT, Forked, clean_environment


def environment(settings: Settings, **more: str) -> dict[str, str]:
    """Return the environment of a process with these settings."""
    secret = settings.identity.engine_secret
    return clean_environment(
        PYTHONPATH=str(ROOT),
        DATABASE_URL=settings.database.url,
        TEMPORAL_ADDRESS=settings.temporal.address,
        TEMPORAL_NAMESPACE=settings.temporal.namespace,
        SEAL_KEY=settings.seal.key.get_secret_value(),
        ENGINE_SECRET=secret.get_secret_value() if secret else "",
        SMTP_URL=settings.mail.smtp_url or "",
        # Most tests' API has no load balancer.
        **{"DRAIN_S": "0", "ERROR_SPOOL": str(_spool_of(settings)), **more},
    )


def _spool_of(settings: Settings) -> Path:
    """Return a separate spool for the processes, so that the engine does not adopt the reports of a
    killed process."""
    return settings.watch.error_spool / "of-processes"


class Process(Forked):
    """A running program with its log in a file. `arguments`: as in Forked."""

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
    """Run a Python process of the service during the block, and then kill the process."""
    env = {"ERROR_SPOOL": str(folder / "error-reports"), **env}
    child = Process(*arguments, log=folder / f"{name}.log", env=environment(settings, **env))
    try:
        yield child
    finally:
        child.terminate()
        child.wait(10)
