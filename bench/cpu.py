"""The CPU time used by processes and their descendants."""

from collections.abc import Mapping

import psutil


def cpu_seconds(pids: Mapping[str, int]) -> dict[str, float]:
    """Return the user and system CPU time used so far, in seconds, by process name. The value for a
    process that has exited is 0."""
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
    # A running child is counted as a separate process. Once the child has exited, its time is
    # included in the parent's `children_*` times.
    return times.user + times.system + times.children_user + times.children_system
