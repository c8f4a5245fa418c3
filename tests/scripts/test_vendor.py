"""What pages load of others' is what CHECKSUMS says."""

from scripts.vendor import CHECKSUMS, FILES, PACKAGE, VENDOR, digest_line


def test_the_vendored_files_are_those_of_the_checksums() -> None:
    first, *digests = CHECKSUMS.read_text().splitlines()

    assert first.startswith(f"{PACKAGE} sha512-")
    assert digests == [digest_line(VENDOR / name) for name in FILES]
    assert {file.name for file in VENDOR.iterdir()} == {*FILES, CHECKSUMS.name}
