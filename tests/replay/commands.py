"""The ordered commands of each workflow, extracted from its source.

Two versions of a workflow that differ here cannot replay each other's histories; see
docs/workflow-versioning.md.
"""

import ast
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOT = Path(__file__).with_name("commands.json")

_COMMANDS = {
    "execute_activity",
    "execute_activity_method",
    "execute_local_activity",
    "execute_local_activity_method",
    "start_activity",
    "start_local_activity",
    "execute_child_workflow",
    "start_child_workflow",
    "sleep",
    "wait_condition",
    "upsert_search_attributes",
    "upsert_memo",
    "continue_as_new",
    "patched",
    "deprecate_patch",
    "signal",
}

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def workflow_commands() -> dict[str, list[str]]:
    """Return each command with its arguments, by workflow class and method, and by called
    function."""
    trees = [ast.parse(path.read_text()) for path in sorted((ROOT / "workflows").glob("*.py"))]
    functions = {
        node.name: node
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    issuing = _issuing(functions)
    found: dict[str, list[str]] = {}
    for node in (node for tree in trees for node in tree.body):
        if isinstance(node, ast.ClassDef) and _is_workflow(node):
            for method in node.body:
                if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
                    found[f"{node.name}.{method.name}"] = _commands_of(method, issuing)
    return found | {name: _commands_of(functions[name], issuing) for name in sorted(issuing)}


def _issuing(functions: Mapping[str, _Function]) -> frozenset[str]:
    """Return the functions that issue commands, directly or indirectly."""
    known: frozenset[str] = frozenset()
    while True:
        found = frozenset(name for name, node in functions.items() if _commands_of(node, known))
        if found == known:
            return known
        known = found


def _is_workflow(node: ast.ClassDef) -> bool:
    return any("workflow.defn" in ast.unparse(decorator) for decorator in node.decorator_list)


def _commands_of(method: _Function, issuing: frozenset[str]) -> list[str]:
    """Return commands, and calls of the workflow's own methods and functions, in source order."""
    calls = [node for node in ast.walk(method) if isinstance(node, ast.Call)]
    calls.sort(key=lambda call: (call.lineno, call.col_offset))
    return [text for call in calls if (text := _describe(call, issuing))]


def _describe(call: ast.Call, issuing: frozenset[str]) -> str:
    if isinstance(call.func, ast.Name):
        return _called(call) if call.func.id in issuing else ""
    if not isinstance(call.func, ast.Attribute):
        return ""
    owner, name = ast.unparse(call.func.value), call.func.attr
    if owner == "self" and name.startswith("_"):
        return f"self.{name}()"
    if owner == "workflow" and name in _COMMANDS:
        target = ast.unparse(call.args[0]) if call.args else ""
        timed = any(keyword.arg == "timeout" for keyword in call.keywords)
        return f"{name}({target}{', timeout' if timed else ''})"
    return ""


def _called(call: ast.Call) -> str:
    """Return a function call with its activity argument."""
    assert isinstance(call.func, ast.Name)
    first = call.args[0] if call.args else None
    told = ast.unparse(first) if isinstance(first, ast.Attribute) else ""
    return f"{call.func.id}({told})"
