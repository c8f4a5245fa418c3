"""The W3C's HTML checker, installed by scripts/system_packages.sh."""

import asyncio
import json
import re
import shutil
from pathlib import Path
from typing import Final

_JAR: Final = Path(__file__).parents[3] / ".tools" / "vnu.jar"
CHECKER: Final = _JAR if _JAR.exists() and shutil.which("java") else None

# These attributes are for a script that we load. Browsers treat them as data.
_HTMX: Final = re.compile(r"Attribute “hx-[a-z]+” not allowed")


async def html_findings(jar: Path, folder: Path) -> list[tuple[str, str]]:
    """Return the HTML errors in a folder's pages, each with its file."""
    arguments = ("--format", "json", "--errors-only", "--exit-zero-always", str(folder))
    process = await asyncio.create_subprocess_exec(
        "java", "-Xss4m", "-jar", str(jar), *arguments, stderr=asyncio.subprocess.PIPE
    )
    _, said = await process.communicate()
    messages = json.loads(said)["messages"]
    return [
        (one["url"].rpartition("/")[2], f"{one['message']} {one.get('extract', '')}")
        for one in messages
        if not _HTMX.search(one["message"])
    ]
