"""The pages of the documentation site: which files they come from, and their Markdown as the site
generator reads it."""

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from scripts.build_tools import ROOT

_RENAMED: Final = {
    "README.md": "start.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "docs/README.md": "index.md",
    "docs/decisions/README.md": "decisions/index.md",
}
"""Pages that have another place in the site than in the repository, and pages outside docs/."""

_OMITTED: Final = frozenset({"docs/decisions/template.md"})
_LINK: Final = re.compile(r"(?P<label>\[[^\]]*\])\((?P<target>[^)\s]+)\)|src=\"(?P<image>[^\"]+)\"")
_ELSEWHERE: Final = re.compile(r"[a-z]+:|#|/")
_ITEM: Final = re.compile(r"( *)([-*]|\d+\.) ")
_DECISIONS: Final = "decisions/"


def places() -> dict[str, str]:
    """Return each file of the site by its path in the repository, with its path in the site."""
    inside = (one for one in sorted((ROOT / "docs").rglob("*")) if one.is_file())
    files = {str(one.relative_to(ROOT)): str(one.relative_to(ROOT / "docs")) for one in inside}
    return {source: place for source, place in (files | _RENAMED).items() if source not in _OMITTED}


def page(source: str, known: dict[str, str]) -> str:
    """Return the Markdown of a page, with its links changed to the places in the site. `known` are
    the files of the site, as from `places`."""
    text = (ROOT / source).read_text(encoding="utf-8")
    return outside_code(text, lambda prose: _LINK.sub(lambda it: _linked(it, source, known), prose))


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Apply the change to a text except for fenced code, and return the result."""
    parts: list[str] = []
    prose: list[str] = []
    is_code = False
    for line in [*text.split("\n"), "```"]:
        is_fence = line.lstrip().startswith("```")
        if is_fence and not is_code:
            parts += [change("\n".join([*prose, ""]))] if prose else []
            prose = []
        if is_code or is_fence:
            parts.append(f"{line}\n")
        else:
            prose.append(line)
        is_code ^= is_fence
    return "".join(parts[:-1]).removesuffix("\n")


def _linked(found: re.Match[str], source: str, known: dict[str, str]) -> str:
    target = found["target"] or found["image"]
    if _ELSEWHERE.match(target):
        return found[0]
    path, mark, anchor = target.partition("#")
    file = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    place = known.get(file) or known.get(f"{file}/README.md")
    if place is None:
        # The site does not contain the source code: only the label remains.
        return str(found["label"]).strip("[]")
    relative = posixpath.relpath(place, posixpath.dirname(known[source]) or ".")
    if found["image"]:
        return f'src="{relative}"'
    return f"{found['label']}({relative}{mark}{anchor})"


def for_generator(text: str) -> str:
    """Return Markdown that Python-Markdown reads as GitHub does. Python-Markdown needs an empty
    line before a list, and four spaces before the content of a list entry."""
    lines: list[str] = []
    shift, is_code = 0, False
    for line in text.split("\n"):
        item = _ITEM.match(line)
        is_top = bool(line) and not line.startswith(" ")
        if not is_code and is_top:
            shift = 4 - len(item[0]) if item and len(item[0]) < 4 else 0
            if item and lines and lines[-1] and not lines[-1].startswith(" "):
                previous = _ITEM.match(lines[-1])
                lines += [] if previous else [""]
        is_inner = line.startswith("  ") and shift
        lines.append(" " * shift + line if is_inner else line)
        is_code ^= line.lstrip().startswith("```")
    return "\n".join(lines)


def title(text: str) -> str:
    """Return the title of a page: its first heading. Raises StopIteration if it has none."""
    return next(line.removeprefix("# ") for line in text.split("\n") if line.startswith("# "))


def _summary(text: str) -> str:
    """Return the first paragraph after the title, without links."""
    paragraphs = text.partition("\n# ")[2] or text
    paragraph = paragraphs.split("\n\n")[1].strip() if "\n\n" in paragraphs else ""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph)
    return re.sub(r"\s+", " ", plain)


def llms(config: dict[str, Any], pages: dict[str, str]) -> str:
    """Return llms.txt: a link to each page's Markdown, with a summary, and decisions as optional.
    `pages` maps a place to Markdown."""
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}"]
    for heading, listed in _sections(config["nav"]):
        lines += ["", f"## {heading}", "", *(_entry(one, pages[one]) for one in listed)]
    decisions = [f"- [{title(pages[one])}]({one})" for one in sorted(pages) if _is_decision(one)]
    return "\n".join([*lines, "", "## Optional", "", *decisions, ""])


def _sections(nav: list[Any]) -> Iterator[tuple[str, list[str]]]:
    yield "Overview", [one for one in nav if isinstance(one, str)]
    for section in nav:
        if isinstance(section, dict):
            yield from section.items()


def _entry(place: str, text: str) -> str:
    summary = _summary(text)
    return f"- [{title(text)}]({place})" + (f": {summary}" if summary else "")


def unlisted(config: dict[str, Any], pages: list[str]) -> set[str]:
    """Return the pages that the navigation omits or lists without a file. Decisions have their own
    index."""
    listed = [one for _, section in _sections(config["nav"]) for one in section]
    if len(listed) != len(set(listed)):
        raise ValueError("the navigation lists a page twice")
    return {one for one in pages if not _is_decision(one)} ^ set(listed)


def _is_decision(place: str) -> bool:
    return place.startswith(_DECISIONS) and place != f"{_DECISIONS}index.md"
