"""Requests whose parsing would block the event loop: forms and cookies that anyone can send."""

import re
import time
from collections.abc import Awaitable, Callable

import httpx
import pytest

from domain.intake.rate_limit import LimitScope, limits
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.identity.sign_in import browser
from tests.support.tenants.shop import Shop

IMPORT = "/app/knowledge/import"
NEW, LIST = "/app/knowledge/new", "/app/knowledge"
BOUNDARY = "a-boundary"
MULTIPART = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}
URLENCODED = {"content-type": "application/x-www-form-urlencoded"}
# CPU time of a request. A page, also one that shows an error, costs more than a redirect.
SECONDS = 0.25
PAGE_SECONDS = 1.0


def parts(headers: str, number: int, *, ends: bool = True) -> bytes:
    part = f"--{BOUNDARY}\r\nContent-Disposition: {headers}\r\n\r\nx\r\n"
    return (part * number + (f"--{BOUNDARY}--\r\n" if ends else "")).encode()


# Each of the letters is inserted into an ever longer text.
PUNYCODE = ("x" * 32_000 + "\U00010400").encode("punycode") + b"a" * 28_000
END = f"\r\n--{BOUNDARY}--\r\n".encode()
DECOYS = b"x--" + BOUNDARY.encode() + b"--"


def field(value: bytes) -> bytes:
    start = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="text"\r\n\r\n'
    return start.encode() + value + END


LONG_HEADER = 'form-data; name="x1"' + ";" * 4_000
HUGE_HEADER = 'form-data; name="x1"' + ";" * 900_000


async def cpu_of(send: Callable[[], Awaitable[httpx.Response]]) -> tuple[int, float]:
    """Return the status of a request, and this thread's CPU seconds until its response."""
    began = time.thread_time()
    answer = await send()
    return answer.status_code, time.thread_time() - began


@pytest.mark.parametrize(
    ("content", "headers"),
    [
        pytest.param(parts(LONG_HEADER, 100), MULTIPART, id="long part headers"),
        pytest.param(parts(LONG_HEADER, 1, ends=False), MULTIPART, id="one part without an end"),
        pytest.param(parts(HUGE_HEADER, 1), MULTIPART, id="one huge part header"),
        pytest.param(parts('form-data; name="x"', 5_000), MULTIPART, id="many parts"),
        pytest.param(
            b"", {"content-type": MULTIPART["content-type"] + ";" * 50_000}, id="content type"
        ),
        pytest.param(
            field(DECOYS * 103).removesuffix(END) + b"\r\n" + parts(LONG_HEADER, 15),
            MULTIPART,
            id="long part headers after decoys",
        ),
        pytest.param(b"a=" + b"%" * 1_000_000, URLENCODED, id="escapes"),
    ],
)
async def test_a_members_hostile_form_is_refused_before_it_is_parsed(
    front: LiveEngine, shop: Shop, content: bytes, headers: dict[str, str]
) -> None:
    async with at_pages(front, shop) as owner:
        await owner.see(LIST)  # what is built at the first request is no cost of the form
        status, seconds = await cpu_of(
            lambda: owner.http.post(IMPORT, content=content, headers=headers)
        )

    assert status in (400, 415)
    assert seconds < PAGE_SECONDS


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode_escape", "utf-7"])
async def test_the_sender_chooses_no_codec(front: LiveEngine, charset: str) -> None:
    """The form is read as UTF-8. Whether it was is seen by where the browser is sent back to."""
    headers = {"content-type": f"{MULTIPART['content-type']}; charset={charset}"}
    back = field(b"/app/runs").replace(b'name="text"', b'name="_back"')
    async with browser(front) as stranger:
        await stranger.get("/app/sign-in")
        status, seconds = await cpu_of(
            lambda: stranger.post(IMPORT, content=field(PUNYCODE), headers=headers)
        )
        sent = await stranger.post(IMPORT, content=back, headers=headers)

    assert status == 303
    assert seconds < SECONDS
    assert sent.headers["location"] == "/app/sign-in?next=%2Fapp%2Fruns"


async def test_a_members_refused_forms_count_before_they_are_read(
    front: LiveEngine, shop: Shop
) -> None:
    quota = limits(dry_runs=1)[LimitScope.PAGES].quota
    async with at_pages(front, shop) as owner:
        for _ in range(quota + 1):
            last = await owner.http.post(LIST, data={"csrf": "wrong"})
        large = await owner.http.post(LIST, content=b"a=" + b"b" * 2**21, headers=URLENCODED)

    assert last.status_code == 429
    assert large.status_code == 429


@pytest.mark.parametrize("letter", ["é", "م", "货"])
async def test_a_large_file_is_previewed_and_imported(
    front: LiveEngine, shop: Shop, letter: str
) -> None:
    entries = "".join(f"Title {one},{letter * 900}\n" for one in range(100))
    async with at_pages(front, shop) as owner:
        form = form_of(await owner.see(IMPORT), IMPORT)
        fields = {**form, "form": "csv", "language": "fr"}
        file = {"file": ("a.csv", f"title,body\n{entries}".encode(), "text/csv")}
        preview = await owner.http.post(IMPORT, data=fields, files=file)
        assert preview.status_code == 200, preview.text[:500]
        confirming = re.search(
            r'<form method="post"[^>]*enctype="multipart/form-data">', preview.text
        )
        assert confirming is not None

        confirmed = form_of(preview.text, IMPORT)
        typed = {**confirmed, "text": f"title,body\n{entries}"}
        done = await owner.http.post(IMPORT, data=typed, files={"none": ("", b"")})

    assert done.status_code == 303, done.text[:500]


async def test_a_signed_out_form_is_small_and_counted_before_it_is_read(
    front: LiveEngine, shop: Shop
) -> None:
    quota = limits(dry_runs=1)[LimitScope.PAGES].quota
    async with browser(front) as stranger:
        large = await stranger.post(LIST, content=b"a=" + b"b" * 100_000, headers=URLENCODED)
        assert large.status_code == 413
        for _ in range(quota):
            last = await stranger.post(LIST, data={"a": "b"})
        assert last.status_code == 429

        status, seconds = await cpu_of(
            lambda: stranger.post(LIST, content=b"%" * 60_000, headers=URLENCODED)
        )

    assert status == 429
    assert seconds < PAGE_SECONDS


async def test_a_long_text_of_accents_is_accepted(front: LiveEngine, shop: Shop) -> None:
    """The limit on escapes is far above a text that people write."""
    async with at_pages(front, shop) as owner:
        form = form_of(await owner.see(NEW), LIST)
        typed = {"title": "Été", "body": "à é è " * 800, "language": "fr"}
        sent = await owner.http.post(LIST, data={**form, **typed})
        assert sent.status_code == 303, sent.text


async def test_a_hostile_cookie_costs_nothing(front: LiveEngine, shop: Shop) -> None:
    """The standard library's parser takes seconds for the escapes of a quoted value."""
    hostile = 'a="' + '\\"' * 30_000 + '"'
    async with at_pages(front, shop) as owner:
        await owner.see(LIST)
        session = owner.http.cookies["session"]
        owner.http.cookies.clear()
        cookie = {"cookie": f"{hostile}; session={session}"}

        status, seconds = await cpu_of(lambda: owner.http.get(LIST, headers=cookie))

    assert status == 200
    assert seconds < PAGE_SECONDS
