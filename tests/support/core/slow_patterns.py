"""Find the product's regular expressions that take more than linear time.

Run as a program, in its own process: `re` is patched before the product is imported. It prints one
JSON object for each pattern that is too slow for an adversarial text.

The adversarial texts are derived from each pattern's parse tree. For each repeat, the text is a
match of the nodes before the repeat, then many matches of the repeat's body, then a character that
makes the match fail. A second kind of text repeats the nodes before the repeat, so that the search
starts many times.
"""

import ast
import importlib
import json
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from inspect import signature
from itertools import islice
from math import log2
from pathlib import Path
from time import thread_time
from types import FrameType
from typing import Any, Final

# typeshed does not describe these modules.
compiler: Final[Any] = importlib.import_module("re._compiler")
parser: Final[Any] = importlib.import_module("re._parser")
op: Final[Any] = importlib.import_module("re._constants")

ROOT: Final = Path(__file__).resolve().parents[3]
LAYERS: Final = (
    "domain", "store", "services", "adapters", "activities", "workflows", "workers", "api",
    "commands", "embedded", "settings",
)  # fmt: skip
_LEXICON: Final = f"{ROOT}/domain/core/lexicon.py"
MAX_CHARS: Final = 20_000
"""The length of the longest text that most patterns see, in characters."""
MOST_S: Final = 0.1
"""Maximum CPU time of one search in the longest text, in seconds."""

_SHORT: Final = 1_000
# A search in a short text that takes less time cannot exceed MOST_S in the longest text, unless its
# time grows faster than the cube of the length.
_FAST_S: Final = MOST_S / (MAX_CHARS / _SHORT) ** 3
_GIVEN_UP_S: Final = 0.2
_REFERENCE_S: Final = 0.02
_MANY: Final = 8
_CHOICES: Final = 3
_MOST_PUMPS: Final = 48
_FAILS: Final = "\x00"
_USUAL: Final = ("a", "1", " ", "\n", "-", "a ", "é", "<", "{", "(")
_METHODS: Final = frozenset(
    {"search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
)
_ANCHORED: Final = frozenset({"match", "fullmatch"})
_REPEATS: Final = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_ANYTHING: Final = "a1 \n.-\"<>=(,é@A/'"
_OF_CATEGORY: Final = {
    op.CATEGORY_DIGIT: "1",
    op.CATEGORY_NOT_DIGIT: "a ",
    op.CATEGORY_SPACE: " \n\t",
    op.CATEGORY_NOT_SPACE: "a.1",
    op.CATEGORY_WORD: "a1",
    op.CATEGORY_NOT_WORD: " .-",
}

Nodes = Iterable[tuple[Any, Any]]


@dataclass
class Found:
    """One pattern, with the files and lines that compile it. `anchored` means that only `match` and
    `fullmatch` are called."""

    pattern: "re.Pattern[Any]"
    places: set[tuple[str, int]] = field(default_factory=set)
    anchored: bool = False


class _Stopped(BaseException):
    """The search takes too long."""


def collect() -> list[Found]:
    """Import the product, and return its patterns: those compiled at import time, those in the YAML
    files, and those written as literals within functions."""
    found: dict[tuple[Any, int], Found] = {}
    original = compiler.compile

    def noted(pattern: Any, flags: int = 0) -> "re.Pattern[Any]":
        compiled: re.Pattern[Any] = original(pattern, flags)
        place = _caller()
        if place is not None:
            one = found.setdefault((compiled.pattern, compiled.flags), Found(compiled))
            one.places.add(place)
        return compiled

    compiler.compile = noted
    try:
        for module in list(_modules()):
            importlib.import_module(module)
        for load in list(_loaders()):
            load()
    finally:
        compiler.compile = original
    for file, line, pattern, flags, method in _literals():
        compiled = re.compile(pattern, flags)
        one = found.setdefault((compiled.pattern, compiled.flags), Found(compiled))
        # A pattern that is also compiled elsewhere keeps its own place.
        if not one.places:
            one.anchored = method in _ANCHORED
        one.places.add((file, line))
    for one in found.values():
        one.anchored = one.anchored or all(_is_anchored(*place) for place in one.places)
    return list(found.values())


def _caller() -> tuple[str, int] | None:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(f"{ROOT}/") and "/.venv/" not in file and file != _LEXICON:
            return file.removeprefix(f"{ROOT}/"), frame.f_lineno
        if not file.endswith(("re/__init__.py", "re/_compiler.py", _LEXICON)):
            return None
        frame = frame.f_back
    return None


def _files() -> Iterator[Path]:
    for layer in LAYERS:
        yield from sorted((ROOT / layer).rglob("*.py"))


def _modules() -> Iterator[str]:
    for file in _files():
        if file.stem != "__main__":
            yield ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _loaders() -> Iterator[Callable[[], object]]:
    """Return the cached functions without parameters, which compile the patterns of YAML files."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in {"domain", "adapters"}:
            continue
        for value in list(vars(module).values()):
            is_cached = hasattr(value, "cache_info") and value.__module__ == name
            if is_cached and not signature(value).parameters:
                yield value


@cache
def _tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


@cache
def _names(file: str) -> Mapping[int, str]:
    """Return the names of a module's variables by the lines of their assignments."""
    lines: dict[int, str] = {}
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        else:
            continue
        for target in targets:
            if isinstance(target, ast.Name) and node.end_lineno is not None:
                lines.update(dict.fromkeys(range(node.lineno, node.end_lineno + 1), target.id))
    return lines


@cache
def _uses(file: str) -> Mapping[str, frozenset[str]]:
    """Return the methods that a module calls on each of its names. A name that is used in another
    way has the method `search`."""
    uses: dict[str, set[str]] = {}
    methods = {}
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            methods[node.value] = node.attr if node.attr in _METHODS else "search"
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            uses.setdefault(node.id, set()).add(methods.get(node, "search"))
    return {name: frozenset(found) for name, found in uses.items()}


def _is_anchored(file: str, line: int) -> bool:
    name = _names(file).get(line)
    used = _uses(file).get(name or "", frozenset())
    return bool(used) and used <= _ANCHORED and not _is_imported(file, name or "")


@cache
def _imports() -> frozenset[tuple[str, str]]:
    """Return the names that the product's modules import from each other, with their modules."""
    found = set()
    for file in _files():
        for node in ast.walk(_tree(str(file.relative_to(ROOT)))):
            if isinstance(node, ast.ImportFrom):
                found |= {(node.module or "", one.name) for one in node.names}
    return frozenset(found)


def _is_imported(file: str, name: str) -> bool:
    return (file.removesuffix(".py").replace("/", "."), name) in _imports()


def _literals() -> Iterator[tuple[str, int, Any, int, str]]:
    """Return the literal patterns in calls such as `re.sub("…", …)`."""
    for path in _files():
        file = str(path.relative_to(ROOT))
        for node in ast.walk(_tree(file)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            module, method = node.func.value, node.func.attr
            if not (isinstance(module, ast.Name) and module.id == "re" and method in _METHODS):
                continue
            if node.args and isinstance(node.args[0], ast.Constant):
                flags = 0
                for one in node.keywords:
                    if one.arg == "flags":
                        flags = _flags(one.value)
                yield file, node.lineno, node.args[0].value, flags, method


def _flags(node: ast.expr) -> int:
    return int(eval(ast.unparse(node), {"re": re}))  # noqa: S307 - the product's own source


def pumps(pattern: "re.Pattern[Any]") -> list[tuple[str, str]]:
    """Return pairs of a prefix and a text to repeat, derived from the pattern's parse tree."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    made: dict[tuple[str, str], None] = {}
    for choice in range(_CHOICES):
        for before, body in _repeats(list(tree), "", choice):
            made |= {(before, body): None, ("", before + body): None, ("", body): None}
            if before:
                made["", before] = None
    by_length = [pair for pair in made if pair[1] and len(pair[0]) <= _SHORT // 4]
    usual = [("", one) for one in _USUAL]
    return list(dict.fromkeys((*usual, *islice(by_length, _MOST_PUMPS))))


def _repeats(nodes: list[tuple[Any, Any]], before: str, choice: int) -> Iterator[tuple[str, str]]:
    """Return the texts before each repeat of the nodes, with the text of the repeat's body."""
    for place, (kind, value) in enumerate(nodes):
        here = before + _text(nodes[:place], choice)
        match kind:
            case op.BRANCH:
                for one in value[1]:
                    yield from _repeats(list(one), here, choice)
            case op.SUBPATTERN:
                yield from _repeats(list(value[3]), here, choice)
            case op.ATOMIC_GROUP:
                yield from _repeats(list(value), here, choice)
            case op.ASSERT | op.ASSERT_NOT:
                yield from _repeats(list(value[1]), here, choice)
            case _ if kind in _REPEATS:
                if value[1] > _MANY:
                    yield here, _text(value[2], choice)
                yield from _repeats(list(value[2]), here, choice)


def _text(nodes: Nodes, choice: int) -> str:
    """Return a text that matches the nodes. `choice`: which of several alternatives to use."""
    return "".join(_of_node(kind, value, choice) for kind, value in nodes)


def _of_node(kind: Any, value: Any, choice: int) -> str:
    text = ""
    match kind:
        case op.LITERAL:
            text = chr(value)
        case op.NOT_LITERAL:
            text = next(mark for mark in _ANYTHING if ord(mark) != value)
        case op.ANY:
            text = _ANYTHING[choice % len(_ANYTHING)]
        case op.IN:
            marks = _of_set(value)
            text = marks[choice % len(marks)]
        case op.BRANCH:
            text = _text(value[1][choice % len(value[1])], choice)
        case op.SUBPATTERN:
            text = _text(value[3], choice)
        case op.ATOMIC_GROUP:
            text = _text(value, choice)
        case _ if kind in _REPEATS:
            text = _text(value[2], choice) * min(max(value[0], choice % 2), value[1], 40)
    return text


def _of_set(items: Nodes) -> str:
    marks, negated = "", False
    for kind, value in items:
        match kind:
            case op.NEGATE:
                negated = True
            case op.LITERAL:
                marks += chr(value)
            case op.RANGE:
                marks += chr(value[0])
            case op.CATEGORY:
                marks += _OF_CATEGORY[value]
    if not negated:
        return marks
    return "".join(one for one in _ANYTHING if one not in marks) or "\x7f"


def slowest(one: Found, max_chars: int, most_s: float) -> tuple[float, tuple[str, str]] | None:
    """Return the CPU time of the slowest search in a text of `max_chars` characters, in seconds,
    with its pump. Return None if all searches take at most `most_s` seconds."""
    short = min(_SHORT, max_chars)
    for pump in pumps(one.pattern):
        first = _seconds(one, pump, short)
        if first <= (most_s if short == max_chars else _FAST_S):
            continue
        growth = max(_seconds(one, pump, 2 * short) / first, 1.0)
        if first * growth ** log2(max_chars / short) <= most_s:
            continue
        taken = min(_seconds(one, pump, max_chars) for _ in range(5))
        if taken > most_s * _slowness():
            return taken, pump
    return None


def _slowness() -> float:
    """Return how many times slower this machine is at present than the one for which MOST_S was
    chosen: at least 1, and at most 1.8."""
    reference = Found(re.compile(r"(?:[ab]c?){0,40}d"))
    taken = min(_seconds(reference, ("", "a"), MAX_CHARS) for _ in range(3))
    return min(max(taken / _REFERENCE_S, 1.0), 1.8)


def _seconds(one: Found, pump: tuple[str, str], chars: int) -> float:
    """Return the CPU time of a search, at most _GIVEN_UP_S, in seconds."""
    before, body = pump
    text: Any = (before + body * (chars // len(body)))[:chars] + _FAILS
    if isinstance(one.pattern.pattern, bytes):
        text = text.encode("latin-1", "replace")
    started = thread_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, _GIVEN_UP_S)
        if one.anchored:
            one.pattern.match(text)
            one.pattern.fullmatch(text)
        else:
            for _ in one.pattern.finditer(text):
                pass
        # Within the block, because the signal may come between the search and this call.
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except _Stopped:
        return max(_GIVEN_UP_S, thread_time() - started)
    return thread_time() - started


def _stop(number: int, frame: FrameType | None) -> None:
    raise _Stopped


def main() -> None:
    """Print a line for each slow pattern, then a line with the number of patterns.

    The argument is a JSON object. `shorter` maps a file's beginning and a part of the pattern to a
    shorter maximum length. `only` replaces the product's patterns.
    """
    given = json.loads(sys.argv[1])
    signal.signal(signal.SIGVTALRM, _stop)
    if only := given.get("only"):
        patterns = [Found(re.compile(pattern), {("", 0)}) for pattern in only]
    else:
        patterns = collect()
    for one in patterns:
        chars = max(_chars(one, file, given.get("shorter", ())) for file, _ in one.places)
        slow = slowest(one, chars, MOST_S)
        if slow is not None:
            taken, pump = slow
            line = {
                "places": sorted(f"{file}:{number}" for file, number in one.places),
                "pattern": str(one.pattern.pattern),
                "chars": chars,
                "seconds": round(taken, 3),
                "pump": pump,
            }
            print(json.dumps(line), flush=True)  # noqa: T201 - a program
    print(json.dumps({"patterns": len(patterns)}), flush=True)  # noqa: T201 - a program


def _chars(one: Found, file: str, shorter: Iterable[tuple[str, str, int]]) -> int:
    text = str(one.pattern.pattern)
    fitting = (most for where, part, most in shorter if file.startswith(where) and part in text)
    return next(fitting, MAX_CHARS)


if __name__ == "__main__":
    main()
