"""The forms of the settings pages. Each section has its own page, form and version, so that a
member saves one section at a time."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from api.dashboard.post import Post
from api.schemas.tenants.settings import BrandingBody, GuidanceBody
from domain.tenants.client_settings import ACKNOWLEDGED_IN, ClientSettings
from domain.tenants.disclosure import DEFAULT_DISCLOSURE, DisclosureStatus
from domain.tenants.frame_settings import DEFAULT_FRAME, FRAME_LENGTHS, frame_fields
from domain.tenants.guidance import MAX_GUIDANCE_CHARS
from domain.widget.looks import DEFAULT_COLOR

_SETTINGS: Final = "/app/settings"
_RULES: Final = ("do", "dont")
_LOOKS: Final = ("display_name", "logo_url", "color")


@dataclass(frozen=True, slots=True)
class SettingsInput:
    """An input of a settings form, with its texts in the catalogue under its name. `choices` are
    the values of a select."""

    name: str
    kind: Literal["field", "area", "box", "choice", "color"] = "field"
    attributes: Mapping[str, object] = field(default_factory=dict)
    rows: int = 4
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SettingsSection:
    """A section of the settings. `read` returns the form's fields, and `body` returns the fields of
    the JSON route's body."""

    name: str
    path: str
    inputs: tuple[SettingsInput, ...]
    read: Callable[[ClientSettings], dict[str, str]]
    body: Callable[[Post], dict[str, object]]

    def seen(self, settings: ClientSettings) -> str:
        """Return the version of the section that the form shows."""
        shown = json.dumps(self.read(settings), sort_keys=True)
        return hashlib.sha256(shown.encode()).hexdigest()[:16]


def _line(name: str, maximum: int, **more: object) -> SettingsInput:
    return SettingsInput(name, attributes={"maxlength": maximum, "dir": "auto", **more})


def _text(name: str, maximum: int | None = None, rows: int = 4) -> SettingsInput:
    limit = {} if maximum is None else {"maxlength": maximum}
    return SettingsInput(name, "area", {**limit, "dir": "auto"}, rows)


def _lines(post: Post, name: str) -> list[str]:
    return [line for line in post.text(name).split("\n") if line.strip()]


def _ticked(is_on: bool) -> str:
    return "on" if is_on else ""


def _frame_field(place: str) -> str:
    """Return the name of the form field for a greeting or sign-off text."""
    return f"frame_{place.replace('.', '_')}"


def _frame_inputs() -> tuple[SettingsInput, ...]:
    return tuple(
        _text(_frame_field(f"{language}.{name}"), length, rows=3)
        if name == "sign_off"
        else _line(_frame_field(f"{language}.{name}"), length)
        for language in DEFAULT_FRAME
        for name, length in FRAME_LENGTHS.items()
    )


BRAND: Final = SettingsSection(
    "brand",
    _SETTINGS,
    (
        _line("display_name", 100),
        _line("logo_url", 2000, placeholder="https://"),
        SettingsInput("color", "color", {"maxlength": 7, "placeholder": DEFAULT_COLOR}),
    ),
    read=lambda found: {name: getattr(found.branding, name) or "" for name in _LOOKS},
    body=lambda post: {
        "branding": BrandingBody(**{name: post.text(name).strip() or None for name in _LOOKS})
    },
)

REPLIES: Final = SettingsSection(
    "replies",
    f"{_SETTINGS}/replies",
    (
        _line("guidance_tone", MAX_GUIDANCE_CHARS),
        *(_text(f"guidance_{name}") for name in _RULES),
        _text("system_prompt", 8000, rows=6),
        *_frame_inputs(),
        *(_text(f"ack_{one}", 1000, rows=3) for one in ACKNOWLEDGED_IN),
        SettingsInput("ask_rating", "box"),
    ),
    read=lambda found: {
        "guidance_tone": found.guidance.tone,
        **{f"guidance_{name}": "\n".join(getattr(found.guidance, name)) for name in _RULES},
        "system_prompt": found.system_prompt or "",
        **{_frame_field(place): text for place, text in frame_fields(found.frame).items()},
        **{f"ack_{one}": found.acknowledgement.get(one, "") for one in ACKNOWLEDGED_IN},
        "ask_rating": _ticked(found.ask_rating),
    },
    body=lambda post: {
        "guidance": GuidanceBody(
            tone=post.text("guidance_tone"),
            **{name: _lines(post, f"guidance_{name}") for name in _RULES},
        ),
        "system_prompt": post.text("system_prompt"),
        "frame": {
            one: {name: post.text(_frame_field(f"{one}.{name}")) for name in FRAME_LENGTHS}
            for one in DEFAULT_FRAME
        },
        "acknowledgement": {one: post.text(f"ack_{one}") for one in ACKNOWLEDGED_IN},
        "ask_rating": post.ticked("ask_rating"),
    },
)

DISCLOSURE: Final = SettingsSection(
    "disclosure",
    f"{_SETTINGS}/disclosure",
    (
        SettingsInput(
            "disclosure_status", "choice", choices=tuple(one.value for one in DisclosureStatus)
        ),
        *(
            _line(f"disclosure_{one}", 300, placeholder=text)
            for one, text in DEFAULT_DISCLOSURE.items()
        ),
    ),
    read=lambda found: {
        "disclosure_status": found.disclosure_status.value,
        **{f"disclosure_{one}": found.disclosure.get(one, "") for one in DEFAULT_DISCLOSURE},
    },
    body=lambda post: {
        "disclosure": {one: post.text(f"disclosure_{one}") for one in DEFAULT_DISCLOSURE},
        "disclosure_status": post.text("disclosure_status") or None,
    },
)

SAFETY: Final = SettingsSection(
    "safety",
    f"{_SETTINGS}/safety",
    (
        _text("sensitive_words", rows=5),
        _text("authserv_ids", rows=3),
        SettingsInput("holds_loosening", "box"),
    ),
    read=lambda found: {
        "sensitive_words": "\n".join(found.sensitive_words),
        "authserv_ids": "\n".join(found.authserv_ids),
        "holds_loosening": _ticked(found.holds_loosening),
    },
    body=lambda post: {
        "sensitive_words": _lines(post, "sensitive_words"),
        "authserv_ids": post.text("authserv_ids").split(),
        "holds_loosening": post.ticked("holds_loosening"),
    },
)

BUSINESS_HOURS: Final = f"{_SETTINGS}/business-hours"

TABS: Final = {
    **{one.name: one.path for one in (BRAND, REPLIES, DISCLOSURE)},
    "hours": BUSINESS_HOURS,
    SAFETY.name: SAFETY.path,
}
"""The paths of the settings pages by name, in the order of their tabs."""
