"""Attachments from strangers: stored by their bytes, after one pass."""

import struct
import time
import unicodedata
import zlib

from hypothesis import given
from hypothesis import strategies as st

from domain.core.attached_file import AttachedFile
from domain.intake.attachment import (
    MAX_BYTES,
    MAX_FILES,
    MAX_NAME_CHARS,
    clean_file_name,
)
from domain.intake.attachment_type import MediaType, inspect
from domain.intake.pdf_content import MAX_ESCAPES, MAX_INFLATED, MAX_OBJECT_STREAMS
from domain.intake.refused_file import AttachmentRefusal
from tests.support.core.each import each
from tests.support.intake.attachments import pdf, png

JPEG = b"\xff\xd8\xff\xe0\x00\x04JF\xff\xc0\x00\x0b\x08\x00\x10\x00\x20\x01\x01\x11\x00\xff\xd9"
GIF = b"GIF89a\x10\x00\x10\x00\x00\x00\x00;"
WEBP = b"RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x00\x00\x00\x00\x00"
HEIC = (
    b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"
    b"\x00\x00\x00\x14ispe\x00\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00\x20"
)
HUGE_JPEG = JPEG.replace(b"\x08\x00\x10\x00\x20", b"\x08\xff\xff\xff\xff")


def object_stream(inside: bytes, keys: bytes = b"/Filter /FlateDecode") -> bytes:
    start = b"3 0 obj\n<< " + keys + b" /Type /ObjStm /N 1 /First 4 >>\nstream\n"
    return pdf().replace(b"trailer", start + zlib.compress(inside) + b"\nendstream\ntrailer")


def picture(inside: bytes) -> bytes:
    return pdf().replace(b"trailer", b"stream\n" + inside + b"\nendstream\ntrailer")


@each(
    [
        ("image/jpeg", JPEG, MediaType.JPEG),
        ("image/jpeg", png(), MediaType.PNG),
        ("application/octet-stream", GIF, MediaType.GIF),
        ("", WEBP, MediaType.WEBP),
        ("image/heic; name=x", HEIC, MediaType.HEIC),
        ("application/pdf", pdf(), MediaType.PDF),
        ("application/pdf", pdf(b"/OpenAction [2 0 R /Fit]"), MediaType.PDF),
        ("application/pdf", object_stream(b"1 0 << /Type /Font >>"), MediaType.PDF),
        ("application/pdf", object_stream(b"x", b"/Filter[/FlateDecode]"), MediaType.PDF),
        ("application/pdf", picture(b"a/JS b/AA c"), MediaType.PDF),
    ]
)
def test_images_and_pdfs_are_kept(claimed: str, data: bytes, media_type: MediaType) -> None:
    (found,) = inspect([AttachedFile("x.exe", claimed, data)])

    assert found.refusal is None
    assert found.media_type is media_type


@each(
    [
        ("image/png", b"", AttachmentRefusal.EMPTY),
        ("image/png", png(padding=MAX_BYTES), AttachmentRefusal.TOO_LARGE),
        ("image/png", b"plain words", AttachmentRefusal.UNKNOWN_TYPE),
        ("image/png", b"MZ\x90\x00", AttachmentRefusal.EXECUTABLE),
        ("application/pdf", b"#!/bin/sh\n", AttachmentRefusal.EXECUTABLE),
        ("application/pdf", b"PK\x03\x04%PDF-", AttachmentRefusal.ARCHIVE),
        ("image/svg+xml", b"  <svg onload='x()'/>", AttachmentRefusal.MARKUP),
        ("image/png", b"\xef\xbb\xbf<html>", AttachmentRefusal.MARKUP),
        ("text/html", png(), AttachmentRefusal.NOT_AS_CLAIMED),
        ("image/svg+xml", png(), AttachmentRefusal.NOT_AS_CLAIMED),
        ("image/png", pdf(), AttachmentRefusal.NOT_AS_CLAIMED),
        ("application/pdf", GIF, AttachmentRefusal.NOT_AS_CLAIMED),
        ("image/png", png()[:20], AttachmentRefusal.UNREADABLE),
        ("image/png", png(0, 5), AttachmentRefusal.UNREADABLE),
        ("image/jpeg", b"\xff\xd8\xff\xe0\x00\x01", AttachmentRefusal.UNREADABLE),
        ("image/jpeg", b"\xff" + b"\xd8" + b"\xff" * 2**20, AttachmentRefusal.UNREADABLE),
        ("image/jpeg", HUGE_JPEG, AttachmentRefusal.TOO_MANY_PIXELS),
        ("image/png", png(60_000, 60_000)[:200], AttachmentRefusal.TOO_MANY_PIXELS),
        ("application/pdf", b"%PDF-1.4 cut", AttachmentRefusal.UNREADABLE),
        ("application/pdf", pdf(b"/Encrypt 4 0 R"), AttachmentRefusal.PDF_ENCRYPTED),
        ("application/pdf", pdf(b"/OpenAction 4 0 R"), AttachmentRefusal.PDF_ACTIVE),
        ("application/pdf", pdf(b"/J#61vaScript (x)"), AttachmentRefusal.PDF_ACTIVE),
        ("application/pdf", pdf(b"/A << /S /Launch >>"), AttachmentRefusal.PDF_ACTIVE),
        ("application/pdf", pdf(b"/AA << /O 4 0 R >>"), AttachmentRefusal.PDF_ACTIVE),
        ("application/pdf", picture(b"a /S /JavaScript b"), AttachmentRefusal.PDF_ACTIVE),
        ("application/pdf", object_stream(b"<< /JS (x) >>"), AttachmentRefusal.PDF_ACTIVE),
        ("application/pdf", object_stream(b"<< /JS (x) >>" * 2**22), AttachmentRefusal.UNREADABLE),
        (
            "application/pdf",
            object_stream(b"<< /JS (x) >>").replace(b"/ObjStm", b"/Obj#53tm"),
            AttachmentRefusal.UNREADABLE,
        ),
        (
            # A string before the stream that looks like it.
            "application/pdf",
            object_stream(b"<< /JS (x) >>").replace(
                b"/ObjStm", b"/ObjStm /X (stream\n" + zlib.compress(b"x") + b"endstream)"
            ),
            AttachmentRefusal.UNREADABLE,
        ),
        (
            "application/pdf",
            object_stream(b"x").replace(b"x\x9c", b"??"),
            AttachmentRefusal.UNREADABLE,
        ),
        # A second filter or a predictor hides the content from the search.
        *(
            ("application/pdf", object_stream(b"x", keys), AttachmentRefusal.UNREADABLE)
            for keys in (
                b"",
                b"/Filter [/FlateDecode /ASCIIHexDecode]",
                b"/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 8 >>",
                b"/Filter /FlateDecode /D#65codeParms 7 0 R",
                b"/Filter 7 0 R /Extends /FlateDecode",
                b"/Filter /FlateDecode /Filter /ASCIIHexDecode",
                b"/Filter /FlateDecode /F 7 0 R",
            )
        ),
        ("application/pdf", pdf(b"/#41" * 30_000), AttachmentRefusal.UNREADABLE),
        # A file that would take seconds to scan is rejected.
        ("application/pdf", pdf(b"#" * 200_000), AttachmentRefusal.UNREADABLE),
        ("application/pdf", pdf(b"/JavaScripty " * 30_000), AttachmentRefusal.UNREADABLE),
        ("application/pdf", pdf(b"stream\n endstream " * 60_000), AttachmentRefusal.UNREADABLE),
        ("application/pdf", object_stream(b"/" * (MAX_INFLATED + 1)), AttachmentRefusal.UNREADABLE),
    ]
)
def test_others_are_refused(claimed: str, data: bytes, refusal: AttachmentRefusal) -> None:
    (found,) = inspect([AttachedFile("photo.png", claimed, data)])

    assert found.refusal is refusal


def test_the_files_of_a_message_inflate_to_so_much_together() -> None:
    """Twenty files of 8 KB, each of which inflates to the limit of a message."""
    bomb = AttachedFile("a.pdf", "application/pdf", object_stream(b"/" * (MAX_INFLATED - 1)))
    small = AttachedFile("b.pdf", "application/pdf", object_stream(b"1 0 << /Type /Font >>"))
    refusals = [one.refusal for one in inspect([small, bomb, bomb, small])]
    full = AttachmentRefusal.UNREADABLE
    assert refusals == [None, full, full, full]


def _object_streams(inside: bytes, count: int) -> AttachedFile:
    stream = (
        b"1 0 obj</Filter/FlateDecode/Type/ObjStm >>stream\n"
        + zlib.compress(inside, 9)
        + b"endstream\n"
    )
    return AttachedFile("a.pdf", "application/pdf", b"%PDF-1.5\n" + stream * count + b"%%EOF")


@each(
    [
        # Earlier, this file of 460 KB took more than a second, because escapes were counted per
        # stream.
        (_object_streams(b"#41" * 260, 9_990),),
        (_object_streams(b"#41" * 260, MAX_OBJECT_STREAMS),),
        (_object_streams(b"/JSx" * 500, MAX_OBJECT_STREAMS // 2),),
    ]
)
def test_the_streams_of_a_file_share_one_limit(file: AttachedFile) -> None:
    began = time.thread_time()

    (found,) = inspect([file])

    assert time.thread_time() - began < 0.3
    assert found.refusal is AttachmentRefusal.UNREADABLE


@each(
    [
        (_object_streams(b"/#41" * 20, MAX_ESCAPES // 40),),
        (_object_streams(b"x", MAX_OBJECT_STREAMS // 2),),
        (_object_streams(b"/JSx" * 500, 20),),
        (AttachedFile("a.pdf", "application/pdf", pdf(b"stream\n endstream " * 24_000)),),
    ]
)
def test_the_files_of_a_message_share_one_limit(file: AttachedFile) -> None:
    refusals = [one.refusal for one in inspect([file] * 4)]

    assert refusals[0] is None
    assert refusals[-1] is AttachmentRefusal.UNREADABLE


def test_a_name_after_a_run_of_slashes_is_found() -> None:
    (found,) = inspect(
        [AttachedFile("a.pdf", "application/pdf", pdf(b"/" * 600_001 + b"JavaScript (x)"))]
    )

    assert found.refusal is AttachmentRefusal.PDF_ACTIVE


def test_only_so_many_files_are_kept() -> None:
    found = inspect([AttachedFile("x.png", "image/png", png())] * (MAX_FILES + 2))

    assert [one.refusal for one in found[MAX_FILES - 1 :]] == [
        None,
        AttachmentRefusal.TOO_MANY,
        AttachmentRefusal.TOO_MANY,
    ]


BEGINNINGS = [JPEG, png(), GIF, WEBP, HEIC, pdf(), object_stream(b"x"), b"\xff\xd8\xff", b"<"]


@given(
    st.sampled_from(BEGINNINGS),
    st.integers(0, 80),
    st.binary(max_size=60),
    st.text(max_size=20),
)
def test_whatever_the_bytes_are_there_is_an_answer(
    begin: bytes, cut: int, rest: bytes, claimed: str
) -> None:
    (found,) = inspect([AttachedFile("x", claimed, begin[:cut] + rest + begin[cut + len(rest) :])])

    assert (found.refusal is None) <= (found.media_type is not None)


@given(st.text(max_size=500))
def test_a_name_fits_a_header_and_a_disk(name: str) -> None:
    clean = clean_file_name(name)

    assert 0 < len(clean) <= MAX_NAME_CHARS
    assert all(unicodedata.category(letter) not in {"Cc", "Cs"} for letter in clean)
    assert not {"/", "\\"} & set(clean)
    assert not clean.startswith(".")
    assert clean_file_name(clean) == clean


@each(
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\Léa\\photo du colis.jpg", "photo du colis.jpg"),
        (".htaccess", "htaccess"),
        ("a\r\nSet-Cookie: x.png", "a Set-Cookie: x.png"),
        ("..", "fichier"),
        ("", "fichier"),
        ("gpj.\u202eexe.png", "gpj.exe.png"),
    ]
)
def test_names_of_senders(name: str, clean: str) -> None:
    assert clean_file_name(name) == clean


def test_size_of_a_frame_is_read_in_its_order() -> None:
    tall = struct.pack(">HH", 20_000, 4_000)
    (found,) = inspect([AttachedFile("x", "", JPEG.replace(b"\x00\x10\x00\x20", tall))])

    assert found.refusal is None
