"""A worker process: `.venv/bin/python worker.py --queue engine`.

The process's modules are imported only after the arguments are parsed, so that the garbage
collector can be paused during their import.
"""

import argparse
import sys

from adapters.processes.module_loading import loading_modules
from domain.core import names
from domain.core.errors import DomainError


def main() -> None:
    """Run a worker of one queue. Exits with an error message if the settings are invalid."""
    parser = argparse.ArgumentParser(description="Run a worker of the customer-support engine.")
    parser.add_argument("--queue", choices=names.QUEUES, default=names.ENGINE_QUEUE)
    chosen = parser.parse_args()
    with loading_modules():
        from settings import load_settings  # noqa: PLC0415 - slow to load
        from workers import process  # noqa: PLC0415 - slow to load
    try:
        process.start(chosen.queue, load_settings())
    except DomainError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
