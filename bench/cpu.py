"""How much processor time processes have used, with all they started."""

from collections.abc import Mapping

import psutil


def cpu_seconds(pids: Mapping[str, int]) -> dict[str, float]:
    """Seconds so far, user and system, by name; a process that ended counts nothing."""
    return {name: _of_family(pid) for name, pid in pids.items()}


def _of_family(pid: int) -> float:
    try:
        process = psutil.Process(pid)
        return sum(_of_one(one) for one in (process, *process.children(recursive=True)))
    except psutil.NoSuchProcess:
        return 0.0


def _of_one(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    # What it has started counts for as long as it runs by itself, and from its end on here.
    return times.user + times.system + times.children_user + times.children_system
