"""Histories as bytes with decoded payloads, as anyone with access to Temporal can read them."""

from typing import Any

from temporalio.client import WorkflowHandle


async def history_bytes(handle: WorkflowHandle[Any, Any]) -> bytes:
    """Return every event as the server stores it. (JSON would hide payloads behind base64.)"""
    history = await handle.fetch_history()
    return b"".join(event.SerializeToString() for event in history.events)
