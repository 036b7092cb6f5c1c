"""The HTML report in a real browser; without one only its text is checked."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from heapflow.report.assemble import Choice
from heapflow.report.baseline import known
from heapflow.report.document import Report
from heapflow.report.finding import FailedFile, Place, Rule, Step, StepKind, Summary
from heapflow.report.render import html
from heapflow.report.render.html import render_html
from heapflow.report.source import Sources
from tests.report.samples import conditional, overwritten, sample_report

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
needs_browser = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="needs chromium and its driver"
)


def embedded(page: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found is not None
    data: dict[str, object] = json.loads(found[1])
    return data


def test_page_loads_nothing(tmp_path: Path) -> None:
    page = render_html(sample_report(tmp_path))
    without_data = re.sub(r"<script type=.application/json.*?</script>", "", page, flags=re.S)
    urls = re.findall(r"https?://[^\s\"']+", without_data)
    assert urls == ["http://www.w3.org/2000/svg"]  # a name, not an address to load
    assert not re.search(r"<(?:link|img|iframe)\b|\bsrc=|@import|fetch\(", without_data)
    assert "default-src 'none'" in page
    assert str(tmp_path) not in page


def test_source_cannot_end_its_element(tmp_path: Path) -> None:
    report = sample_report(tmp_path)
    (tmp_path / "list.c").write_text('"</script><script>alert(1)</script><!-- data -->"\n' * 20)
    page = render_html(replace(report, sources=Sources(tmp_path)))
    assert "alert(1)</script>" not in page
    assert len(embedded(page)["findings"]) == 3  # type: ignore[arg-type]


def test_of_a_long_file_only_the_surroundings_are_carried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html, "WHOLE_FILE", 100)
    monkeypatch.setattr(html, "AROUND", 2)
    (tmp_path / "long.c").write_text("".join(f"line{n};\n" for n in range(1, 1001)))
    first, second = Place("long.c", 300, 1, "f"), Place("long.c", 900, 1, "f")
    steps = (Step(StepKind.ALLOCATED, first), Step(StepKind.LOST, second))
    finding = replace(
        conditional(), allocation=first, lost=second, steps=steps, frees=(), slice=None
    )
    page = render_html(Report((finding,), Summary(functions=1), sources=Sources(tmp_path)))
    kept = [int(number) for number in re.findall(r"line(\d+);", page)]
    assert kept == [*range(298, 303), *range(898, 903)]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    options = ChromeOptions()
    options.binary_location = str(CHROMIUM)
    profile = tmp_path_factory.mktemp("profile")
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1500,950"):
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


def show(browser: Chrome, page: str, directory: Path, fragment: str = "") -> None:
    path = directory / "report.html"
    path.write_text(page, "utf-8")
    browser.get("about:blank")
    browser.get(f"{path.as_uri()}{fragment}")
    assert browser.find_element(By.TAG_NAME, "html").get_attribute("data-ready") == "yes"
    if not fragment and the(browser, "#overview").is_displayed():
        the(browser, "body").send_keys("j")  # from the overview to the first finding


def the(browser: Chrome, selector: str) -> WebElement:
    return browser.find_element(By.CSS_SELECTOR, selector)


def texts(browser: Chrome, selector: str) -> list[str]:
    return [one.text for one in browser.find_elements(By.CSS_SELECTOR, selector)]


def press(browser: Chrome, key: str) -> None:
    the(browser, "body").send_keys(key)


@needs_browser
def test_list_and_filters(browser: Chrome, tmp_path: Path) -> None:
    report = sample_report(tmp_path, Choice(baseline=(known(overwritten()),)))
    show(browser, render_html(report), tmp_path)
    assert texts(browser, "#shown") == ["2 of 3 findings"]  # the known one is out of sight
    the(browser, '#levels [data-value="suppressed"]').click()
    assert texts(browser, ".row .where") == ["main.c:4 in read_name"]
    the(browser, '#levels [data-value="suppressed"]').click()
    the(browser, '#rules [data-value="leak-at-exit"]').click()
    assert texts(browser, ".row .where") == ["main.c:14 in main"]
    press(browser, Keys.ESCAPE)
    for field, value, count in (
        ("text", "n == 0", 1),
        ("text", "no such words", 0),
        ("file", "main", 1),
        ("function", "list_", 1),
    ):
        the(browser, f"#{field}").send_keys(value)
        assert texts(browser, "#shown") == [f"{count} of 3 findings"]
        the(browser, f"#{field}").send_keys(Keys.ESCAPE)
    assert texts(browser, "#shown") == ["2 of 3 findings"]


def test_what_was_not_analysed_comes_first(tmp_path: Path) -> None:
    report = sample_report(tmp_path)
    failed = FailedFile("bad.c", "bad.c:1:2: error: no")
    summary = replace(report.summary, failed=(failed,), other_languages=(("C++", 3),))
    report = replace(report, summary=summary, made="2026-01-01", command="heapflow check .")
    data = embedded(render_html(report))
    gaps = dict(data["gaps"])  # type: ignore[call-overload]
    assert gaps["Files that are not analysed"] == ["bad.c: bad.c:1:2: error: no"]
    assert gaps["Files that are not C"] == ["3 in C++"]
    assert data["complete"] is False
    assert (data["made"], data["command"]) == ("2026-01-01", "heapflow check .")


@needs_browser
def test_overview(browser: Chrome, tmp_path: Path) -> None:
    report = sample_report(tmp_path)
    summary = replace(report.summary, failed=(FailedFile("bad.c", "bad.c:1:2: error: no"),))
    show(
        browser, render_html(replace(report, summary=summary, command="heapflow check .")), tmp_path
    )
    assert "not everything was analysed" in the(browser, "header").text
    assert "heapflow check ." in the(browser, "header").text
    press(browser, "o")
    assert the(browser, "#overview").text.startswith("Files that are not analysed: 1")
    the(browser, "#overview .tables a").click()
    assert the(browser, "#finding").is_displayed()


@needs_browser
def test_sorting_and_groups(browser: Chrome, tmp_path: Path) -> None:
    report = sample_report(tmp_path)
    shown = tuple(one for one in report.findings if one.rule is not Rule.OVERWRITTEN)
    show(browser, render_html(replace(report, findings=shown)), tmp_path)
    the(browser, "#sort option[value=rule]").click()
    the(browser, "#grouped").click()
    assert texts(browser, ".row.group") == [
        "conditional-leak",
        "leak-at-exit",
    ]
    assert "freed-on-other-path" not in str(
        [one.get_attribute("class") for one in browser.find_elements(By.CSS_SELECTOR, ".badge")]
    )


@needs_browser
def test_steps_by_key_and_click(browser: Chrome, tmp_path: Path) -> None:
    show(browser, render_html(sample_report(tmp_path)), tmp_path)
    assert "is not freed when n == 0" in the(browser, "#message").text
    assert texts(browser, "#position") == ["step 1 of 4"]
    assert the(browser, "#code .code-line.now").get_attribute("data-line") == "5"
    press(browser, "n")
    press(browser, Keys.ARROW_RIGHT)
    assert texts(browser, "#position") == ["step 3 of 4"]
    assert the(browser, "#code .code-line.now").get_attribute("data-line") == "8"
    assert "n == 0 is true" in the(browser, "#steps li.now").text
    press(browser, "p")
    assert texts(browser, "#position") == ["step 2 of 4"]
    the(browser, '#steps li[data-step="3"]').click()
    assert texts(browser, "#position") == ["step 4 of 4"]
    the(browser, '#code .mark[data-step="0"] .says').click()
    assert texts(browser, "#position") == ["step 1 of 4"]
    press(browser, "j")
    press(browser, "j")
    assert "names[0]" in the(browser, "#message").text
    assert texts(browser, "#file-name") == ["main.c"]
    assert texts(browser, "#position") == ["step 2 of 7"]  # the allocation comes after a call


@needs_browser
def test_source_frees_and_slice(browser: Chrome, tmp_path: Path) -> None:
    show(browser, render_html(sample_report(tmp_path)), tmp_path)
    numbers = texts(browser, "#code .code-line .number")
    assert numbers == [str(n) for n in range(1, len(numbers) + 1)]
    assert "if" in texts(browser, "#code .k")
    assert texts(browser, "#notes a") == ["list.c:15", "main.c:4"]
    assert len(browser.find_elements(By.CSS_SELECTOR, "#graph .node")) == 5
    assert texts(browser, "#graph .guard") == ["n != 0", "n == 0"]
    boxes = [one.rect for one in browser.find_elements(By.CSS_SELECTOR, "#graph .node rect")]
    assert not any(_overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])
    the(browser, "#graph .node.free").click()


def _overlap(one: dict[str, int], other: dict[str, int]) -> bool:
    return (
        abs(one["x"] - other["x"]) < min(one["width"], other["width"])
        and abs(one["y"] - other["y"]) < one["height"]
    )


@needs_browser
def test_text_is_never_markup(browser: Chrome, tmp_path: Path) -> None:
    finding = replace(conditional(), allocator="<b>x</b>")
    (tmp_path / "list.c").write_text("int x; // <img src=x onerror=alert(1)>\n" * 20)
    report = Report((finding,), Summary(functions=1), sources=Sources(tmp_path))
    show(browser, render_html(report), tmp_path)
    assert "<b>x</b>" in the(browser, "#message").text
    assert not browser.find_elements(By.CSS_SELECTOR, "#code img, #message b")


@needs_browser
def test_address_theme_and_missing_source(browser: Chrome, tmp_path: Path) -> None:
    report = sample_report(tmp_path)
    wanted = next(one for one in report.findings if one.rule is Rule.LEAK_AT_EXIT)
    page = render_html(replace(report, sources=Sources(tmp_path / "elsewhere")))
    show(browser, page, tmp_path, f"#{wanted.fingerprint[:12]}-1")
    assert "is not freed before the program ends" in the(browser, "#message").text
    assert "not found" in the(browser, "#code .gap").text
    assert texts(browser, "#code .mark .badge") == ["1", "2"]
    before = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    press(browser, "t")
    after = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert before != after
    severe = [
        entry
        for entry in browser.get_log("browser")  # type: ignore[no-untyped-call]
        if entry["level"] == "SEVERE"
    ]
    assert not severe


@needs_browser
def test_empty_report_is_not_blank(browser: Chrome, tmp_path: Path) -> None:
    show(browser, render_html(Report((), Summary(files=2))), tmp_path)
    assert the(browser, "#overview").text.startswith("Nothing was analysed")


@needs_browser
def test_two_thousand_findings_in_three_hundred_files(browser: Chrome, tmp_path: Path) -> None:
    lines = "".join(f"  int value{n} = compute({n}); // line {n}\n" for n in range(800))
    for number in range(300):
        (tmp_path / f"file{number}.c").write_text(lines)
    rules = list(Rule)
    findings = []
    for number in range(2000):
        file = f"file{number % 300}.c"

        def at(place: Place, file: str = file, number: int = number) -> Place:
            return replace(place, file=file, line=place.line + number % 700)

        base = conditional()
        steps = tuple(replace(step, place=at(step.place)) for step in base.steps)
        findings.append(
            replace(
                base,
                rule=rules[number % 4],
                allocation=at(base.allocation),
                lost=at(base.lost),
                steps=steps,
            )
        )
    report = Report(tuple(findings), Summary(functions=1), sources=Sources(tmp_path))
    page = render_html(report)
    show(browser, page, tmp_path)
    assert texts(browser, "#shown") == ["2000 of 2000 findings"]
    assert len(browser.find_elements(By.CSS_SELECTOR, ".row")) < 60
    browser.execute_script("document.getElementById('list').scrollTop = 1e9")
    time.sleep(0.2)
    assert the(browser, ".row:last-child").get_attribute("data-index") == "1999"
    took = browser.execute_script(
        "const start = performance.now();"
        "for (let i = 0; i < 20; i++)"
        "  document.dispatchEvent(new KeyboardEvent('keydown', {key: 'j', bubbles: true}));"
        "return (performance.now() - start) / 20"
    )
    assert took < 500  # milliseconds to the next finding
