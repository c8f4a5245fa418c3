"""Use npm to download the third-party files that pages load into api/dashboard/static/vendor/.

Run `.venv/bin/python -m scripts.vendor`. CHECKSUMS in that folder lists the versions and digests. A
test compares them with the files.
"""

import hashlib
import json
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Final

VENDOR: Final = Path(__file__).parents[1] / "api" / "dashboard" / "static" / "vendor"
CHECKSUMS: Final = VENDOR / "CHECKSUMS"
PACKAGE: Final = "htmx.org@4.0.1"
# The file names in this project, and the paths in the npm package.
FILES: Final = {
    "htmx.min.js": "package/dist/htmx.min.js",
    "hx-csp.min.js": "package/dist/ext/hx-csp.min.js",
    "htmx.LICENSE": "package/LICENSE",
}


def digest_line(file: Path) -> str:
    return f"sha256 {hashlib.sha256(file.read_bytes()).hexdigest()} {file.name}"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(
            [shutil.which("npm") or "npm", "pack", "--json", PACKAGE],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
        (told,) = json.loads(packed.stdout)
        with tarfile.open(Path(folder) / told["filename"]) as archive:
            for name, member in FILES.items():
                content = archive.extractfile(member)
                if content is None:
                    raise RuntimeError(f"{PACKAGE} has no {member}")
                (VENDOR / name).write_bytes(content.read())
    lines = [f"{PACKAGE} {told['integrity']}", *(digest_line(VENDOR / name) for name in FILES)]
    CHECKSUMS.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
