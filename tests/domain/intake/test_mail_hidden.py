"""Hidden text in an email never reaches a brain, and visible text always does."""

import pytest

from domain.intake.mail_html import html_to_text


@pytest.mark.parametrize(
    "hidden",
    [
        '<div style="display : NONE">x</div>',
        '<p style="visibility:hidden">x</p>',
        '<p style="font-size:0">x</p>',
        '<p style="font-size: 0.0em;">x</p>',
        '<span style="font-size:1px">x</span>',
        '<span style="font-size:.5px">x</span>',
        '<p style="opacity:0.01">x</p>',
        '<p style="max-height:0px;overflow:hidden">x</p>',
        '<div style="height:0;overflow:hidden">x</div>',
        '<p style="position:absolute;left:-9999px">x</p>',
        '<p style="text-indent:-999em">x</p>',
        '<p style="color:transparent">x</p>',
        '<p style="color:#FFF">x</p>',
        '<p style="color: rgb(255, 255, 255) !important">x</p>',
        '<p style="color:white;background-color:#ffffff">x</p>',
        '<p style="color:white;background:none">x</p>',
        '<font color="white">x</font>',
        '<font size="0">x</font>',
        "<p hidden>x</p>",
        "<!-- x -->",
        "<![CDATA[x]]>",
        "<style>.gone, #b{display:none}</style><p class='a gone'>x</p><p id=b>x</p>",
        "<head><style>/* x */ p.gone { font-size: 0 }</style></head><p class=gone>x</p>",
        '<div style="color:#fff"><p>x</p><div><b>x</b></div></div>',
        '<div style="display:none"><p style="display:block">x</p></div>',
    ],
)
def test_hidden_text_is_left_out(hidden: str) -> None:
    assert html_to_text(f"<p>seen</p>{hidden}<p>too</p>", drop_quotes=True).split() == [
        "seen", "too",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "shown",
    [
        '<p style="font-size:10px">x</p>',
        '<p style="font-size:0.8em">x</p>',
        '<p style="font-size:">x</p>',
        '<p style="opacity:0.5">x</p>',
        '<p style="color:#fffff0">x</p>',
        '<p style="background-color:#fff">x</p>',
        '<p style="background:#003;color:#fff">x</p>',
        '<table bgcolor="#003"><tr><td><font color="white">x</font></td></tr></table>',
        '<div style="color:#fff"><p style="color:#000">x</p></div>',
        '<div style="color:#fff"><p style="background-color:navy">x</p></div>',
        '<p style="margin-left:-15px;left:0">x</p>',
        '<p style="line-height:0;height:20px">x</p>',
        "<style>@media (max-width:600px){.small{display:none}}</style><p class=small>x</p>",
        "<style>.gone p{color:red}.b{display:block}</style><p class='gone b'>x</p>",
        "<p class=gone>x</p><style>.gone{color:red}</style>",
    ],
)
def test_shown_text_stays(shown: str) -> None:
    assert html_to_text(f"<p>seen</p>{shown}<p>too</p>", drop_quotes=True).split() == [
        "seen", "x", "too",
    ]  # fmt: skip


def test_a_mail_all_in_white_is_read() -> None:
    """An email program in dark mode writes so: on a black background it is readable."""
    mail = '<div style="color:#ffffff"><p>Where is my order?</p><p>Jean</p></div>'

    assert html_to_text(mail, drop_quotes=True).split() == ["Where", "is", "my", "order?", "Jean"]


def test_style_sheets_cost_no_more_than_their_length() -> None:
    for sheet in ("@media{" * 20_000, ".a{" * 50_000, "/*" * 80_000, ".a{display:none}" * 10_000):
        html_to_text(f"<style>{sheet}</style><p class=b>x</p>", drop_quotes=True)
