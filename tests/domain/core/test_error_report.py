"""raised(): types and locations of a whole exception chain, bounded for any chain."""

from domain.core.error_report import MAX_EXCEPTIONS, MAX_FRAMES, raised


def deep(levels: int) -> None:
    if levels == 0:
        raise ValueError("words of a customer")
    deep(levels - 1)


def caught(levels: int) -> Exception:
    try:
        deep(levels)
    except ValueError as error:
        return error
    raise AssertionError("it raises")


def test_the_last_frames_are_kept() -> None:
    (one,) = raised(caught(100))

    assert one.type == "ValueError"
    assert len(one.frames) == MAX_FRAMES
    assert one.frames[-1].function == "deep"
    assert "customer" not in str(one)


def test_causes_follow_and_suppressed_ones_do_not() -> None:
    error = RuntimeError()
    error.__cause__ = KeyError()
    error.__cause__.__context__ = OSError()
    hidden = TypeError()
    hidden.__context__ = OSError()
    hidden.__suppress_context__ = True

    assert [one.type for one in raised(error)] == ["RuntimeError", "KeyError", "OSError"]
    assert [one.type for one in raised(hidden)] == ["TypeError"]


def test_groups_and_rings_end() -> None:
    ring = RuntimeError()
    ring.__context__ = other = KeyError()
    other.__context__ = ring
    many = ExceptionGroup("many", [ValueError() for _ in range(50)])

    assert [one.type for one in raised(ring)] == ["RuntimeError", "KeyError"]
    assert len(raised(many)) == MAX_EXCEPTIONS
