"""The page in a real browser: sliders move the numbers to what the library computes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report.browsing import Open, Page
from report.examples import EXAMPLES, Example, of_classes, of_rows

from costboost import report
from costboost._core.arrays import Flags
from costboost.app.report import interactive
from costboost.app.report import page as page_module
from costboost.app.report.interactive import class_counts, compared, cost_text, shown
from costboost.app.report.markup import Style
from costboost.app.report.numbers import (
    TwoClassPredictions,
    predict_two_classes,
)
from costboost.app.report.words import Words, of_two, sentences
from costboost.metrics import total_cost


def predictions_of(example: Example, fn: float, fp: float) -> TwoClassPredictions:
    """Predictions of the library if the costs given are multiplied."""
    weight = example.more.get("sample_weight")
    costs = {
        "fn_cost": fn * np.asarray(example.fn_cost),
        "fp_cost": fp * np.asarray(example.fp_cost),
    }
    return predict_two_classes(example.model, example.X, example.y, costs, weight)


def style_of(rows: TwoClassPredictions, unit: str = "") -> Style:
    return Style.of(unit, rows.greatest_cost, rows.weight)


def style(example: Example) -> Style:
    return style_of(predictions_of(example, 1, 1), example.more.get("unit", ""))


def expected(example: Example, fn: float, fp: float) -> dict[str, str]:
    rows = predictions_of(example, fn, fp)
    return shown(rows, rows.predicted, style(example)) | {"verdict": verdict(example, rows)}


def verdict(example: Example, rows: TwoClassPredictions) -> str:
    """The verdict of the library on predictions."""
    found = compared(rows, rows.predicted, Words())
    cautions = of_two(example.model, example.X, predictions_of(example, 1, 1))
    possible = sentences(Words(), cautions, class_counts(rows))
    return possible.of(found, style(example)).text


def factors(example: Example, page: Page) -> tuple[float, float]:
    """Factors of the costs by the values of the boxes."""
    given = [1.0 if np.ndim(cost) else cost for cost in (example.fn_cost, example.fp_cost)]
    return page.box("fn") / given[0], page.box("fp") / given[1]


def check(page: Page, texts: dict[str, str]) -> None:
    found = page.texts()
    assert {name: found[name] for name in texts} == texts


# ---- numbers that are refused --------------------------------------------------------------------

REFUSED = [
    ("goal", 99, "150", "150 is not used: a goal is from 0 to 100 %. In use: 99 %."),
    ("goal", 0, "150", "150 is not used: a goal is from 0 to 100 %. In use: no goal."),
    ("goal", 99, "-5", "-5 is not used: a goal is from 0 to 100 %. In use: 99 %."),
    ("goal", 99, "5e", "This is not used: a goal is from 0 to 100 %. In use: 99 %."),
    ("goal", 99, "", ""),
    ("fn", 12, "-3", "-3 is not used: a cost must be above 0. In use: 12 EUR."),
    ("fn", 12, "", ""),
    ("fp", 7, "0", "0 is not used: a cost must be above 0. In use: 7 EUR."),
    ("fp", 7, "1e999", "This is not used: a cost must be above 0. In use: 7 EUR."),
]


@pytest.mark.parametrize(("name", "before", "typed", "message"), REFUSED)
def test_a_number_that_cannot_be_is_refused(
    open_page: Open, name: str, before: float, typed: str, message: str
) -> None:
    """The value before editing stays in use, not a valid beginning of what was typed."""
    page = open_page(of_classes())
    page.type(name, before)
    page.leave(name)
    texts = page.texts()
    page.select(name)
    page.keys(name, typed or "\ue003")  # the key that deletes
    assert page.texts() == texts
    assert page.run("return document.getElementById(arguments[0]).ariaInvalid", f"{name}-box")
    if typed != "0":  # the beginning of 0.5
        assert page.refused(name) == message
    page.leave(name)
    assert page.refused(name) == message
    assert page.box(name) == before
    assert page.texts() == texts
    page.type(name, 5)
    page.leave(name)
    assert (page.refused(name), page.box(name)) == ("", 5)


def test_a_number_may_begin_with_0(open_page: Open) -> None:
    page, other = open_page(of_classes(), unit=""), "0.25"
    page.type("fn", other)
    assert page.refused("fn") == ""
    assert page.texts()["now-fn"] == other


def test_thousands_of_costs_are_separated(open_page: Open) -> None:
    example = of_classes()
    page, rows = open_page(example), predictions_of(example, 1, 1)
    for cost in ("1234567.25", "999", "100000", "0.125"):
        page.type("fn", cost)
        assert page.texts()["now-fn"] == cost_text(rows, float(cost), style(example))
    assert cost_text(rows, -1234567.25, style(example)) == "-1,234,567.25 EUR"


# ---- costs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_sliders_show_what_the_library_computes(open_page: Open, name: str) -> None:
    example = EXAMPLES[name]()
    page = open_page(example)
    check(page, expected(example, 1, 1))
    places = [(0, 0), (30, 0), (-30, 0), (0, 70), (120, -40), (-200, 200), (200, -200), (7, 7)]
    seen = set()
    for fn, fp in places:
        page.slide("fn", fn)
        page.slide("fp", fp)
        check(page, expected(example, *factors(example, page)))
        seen.add(page.texts()["cost"])
    assert len(seen) > 4
    page.run("document.getElementById('reset').click()")
    check(page, expected(example, 1, 1))
    assert page.errors() == []


def test_typed_costs_are_the_metrics_own(open_page: Open) -> None:
    """Without a function of the report between: predict, then total_cost."""
    example = of_classes()
    page = open_page(example)
    for fn, fp in [("7", "3"), ("1", "1"), ("12.5", "0.25"), ("1", "19")]:
        page.type("fn", fn)
        page.type("fp", fp)
        costs = {"fn_cost": float(fn), "fp_cost": float(fp)}
        y_pred = example.model.predict(example.X, **costs)
        missed = (example.y == "malignant") & (y_pred == "benign")
        alarmed = (example.y == "benign") & (y_pred == "malignant")
        found = page.texts()
        assert found["cost"] == f"{total_cost(example.y, y_pred, **costs):g} EUR"
        assert (found["misses"], found["alarms"]) == (f"{missed.sum()}", f"{alarmed.sum()}")
        assert found["threshold"] == f"{float(fp) / (float(fp) + float(fn)):.4f}".rstrip("0")
    assert page.errors() == []


@pytest.mark.parametrize("name", ["classes", "ties"])
def test_a_row_on_the_threshold_is_negative(open_page: Open, name: str) -> None:
    """Costs at which the threshold is one of the probabilities, to the last bit."""
    example = EXAMPLES[name]()
    page = open_page(example)
    rows = predictions_of(example, 1, 1)
    assert rows.limit is not None
    inner = np.unique(rows.limit[(rows.limit > 0) & (rows.limit < 1)])
    assert inner.size > 3
    given = [float(np.ravel(cost)[0]) for cost in (example.fn_cost, example.fp_cost)]
    base = [cost if rows.per_row else 1.0 for cost in given]
    for p in inner[:: max(1, inner.size // 6)]:
        page.set("fn", 2 * (1 - p) / base[0])
        page.set("fp", 2 * p / base[1])
        moved = predict_two_classes(
            example.model, example.X, example.y,
            {f"{k}_cost": page.box(k) * np.asarray(cost) if rows.per_row else page.box(k)
             for k, cost in (("fn", example.fn_cost), ("fp", example.fp_cost))},
            None,
        )  # fmt: skip
        check(page, shown(moved, moved.predicted, style(example)))


def test_what_is_no_cost_changes_nothing(open_page: Open) -> None:
    page = open_page(of_classes())
    before = page.texts()
    for bad in ("0", "-3"):
        page.set("fn", bad)
        assert page.texts() == before
        assert page.run("return document.getElementById('fn-box').ariaInvalid") == "true"
    page.slide("fn", 0)
    assert page.run("return document.getElementById('fn-box').ariaInvalid") is None


# ---- goals ---------------------------------------------------------------------------------------


def lowered(rows: TwoClassPredictions, goal: float) -> Flags:
    """Positive predictions if the threshold is lowered until the goal is met."""
    order = rows.score if rows.limit is None else rows.factors() if rows.per_row else rows.limit
    predicted = rows.predicted.copy()
    hits = rows.weight * rows.positive
    for value in np.unique(order)[::-1]:
        if hits[predicted].sum() >= goal * hits.sum() * (1 - 1e-9):
            break
        predicted |= order >= value
    return predicted


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_recall_goal_lowers_the_threshold_as_far_as_needed(open_page: Open, name: str) -> None:
    example = EXAMPLES[name]()
    page = open_page(example)
    for fn, fp, goal in [(0, 0, 100), (-60, 0, 95), (0, 150, 60.5), (0, 0, 30), (0, 200, 5)]:
        page.slide("fn", fn)
        page.slide("fp", fp)
        page.slide("goal", goal)
        rows = predictions_of(example, *factors(example, page))
        texts = shown(rows, lowered(rows, goal / 100), style(example))
        texts.pop("threshold")
        check(page, texts)
        assert float(texts["recall"].split()[0]) >= goal - 0.05
    assert page.errors() == []


# ---- many rows -----------------------------------------------------------------------------------


def test_bins_are_exact_at_the_costs_given_and_at_the_threshold_shown(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_module, "held", partial(interactive.held, most=8))
    example = replace(EXAMPLES["weighted"](), more={})
    page = open_page(example)
    assert "neighbouring ones were joined" in page.run("return document.body.textContent")
    check(page, expected(example, 1, 1))
    rows = predictions_of(example, 1, 1)
    assert rows.limit is not None
    for place in (-120, -25, 40, 77, 160):
        page.slide("fp", place)
        moved = predictions_of(example, *factors(example, page))
        t = page.run("return Number(document.querySelector('[data-out=threshold]').textContent)")
        at = rows.limit[np.argmin(np.abs(rows.limit - t))] if (rows.limit <= t).any() else t
        predicted = rows.limit > (at if abs(at - t) < 6e-5 else t)
        texts = shown(moved, predicted, style(example))
        texts.pop("threshold")
        check(page, texts)


@pytest.mark.parametrize("most", [10**6, 20])
def test_rows_with_costs_of_their_own_by_factor(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """With more rows than a page embeds, numbers are exact unless levels are joined."""

    def held(rows: TwoClassPredictions) -> dict[str, Any]:
        return {"n": rows.positive.size, "fn": 1.0, "fp": 1.0} | interactive._by_factor(rows, most)

    monkeypatch.setattr(page_module, "held", held)
    example = of_rows()
    page = open_page(example)
    check(page, expected(example, 1, 1))
    for place in (-101, 33, 90) if most > 20 else ():
        page.slide("fp", place)
        check(page, expected(example, *factors(example, page)))


def test_a_hundred_thousand_rows_are_shown(chrome: Any, tmp_path: Path) -> None:
    example, random = of_classes(), np.random.default_rng(0)
    model = EXAMPLES["weighted"]().model
    X = example.X.to_numpy()[random.integers(0, len(example.y), 100_000)]
    X = X * random.normal(1, 0.3, X.shape)
    X = type(example.X)(X, columns=example.X.columns)
    y = np.where(random.random(100_000) < 0.1, "malignant", "benign")
    fn = random.gamma(2.0, 100.0, 100_000)
    for costs in ({"fn_cost": 20.0, "fp_cost": 1.0}, {"fn_cost": fn, "fp_cost": 5.0}):
        path = report.write(tmp_path / "many.html", model, X, y, random_state=0, **costs)
        page = Page(chrome, path)
        rows = predict_two_classes(model, X, y, costs, None)
        check(page, shown(rows, rows.predicted, style_of(rows)))
        page.slide("fp", 50)
        factor = page.box("fp") / (1.0 if np.ndim(costs["fn_cost"]) else costs["fp_cost"])
        moved = predict_two_classes(
            model, X, y, costs | {"fp_cost": factor * costs["fp_cost"]}, None
        )
        check(page, shown(moved, moved.predicted, style_of(rows)))
        assert page.errors() == []


# ---- pictures ------------------------------------------------------------------------------------


def at(page: Page, name: str) -> tuple[float, float]:
    """Where a moving point is, in the numbers of its axes."""
    dot, frame, axes = page.run(
        "const dot = document.querySelector(`[data-point=${arguments[0]}]`);"
        "const svg = dot.closest('svg');"
        "return [[dot.getAttribute('cx'), dot.getAttribute('cy')].map(Number),"
        "svg.dataset.frame.split(',').map(Number), svg.dataset.axes.split(',').map(Number)]",
        name,
    )
    left, right, bottom, top = frame
    x0, x1, y0, y1 = axes
    x = x0 + (dot[0] - left) / (right - left) * (x1 - x0)
    return x, y0 + (bottom - dot[1]) / (bottom - top) * (y1 - y0)


@pytest.mark.parametrize("example", [of_classes, of_rows])
def test_the_points_move_along_the_curves(open_page: Open, example: Any) -> None:
    page = open_page(example())
    places = []
    for fn in (-150, 0, 60, 150):
        page.slide("fn", fn)
        rows = predictions_of(example(), *factors(example(), page))
        costs = {"fn_cost": rows.fn_cost, "fp_cost": rows.fp_cost}
        cost = total_cost(rows.positive.astype(int), rows.predicted.astype(int), **costs)
        greatest = rows.greatest_cost
        z, q = at(page, "skew")
        assert z == pytest.approx(rows.greatest_cost_of(False) / greatest, abs=2e-3)
        assert q == pytest.approx(cost / greatest, abs=2e-3)
        fpr, recall = at(page, "roc")
        assert fpr == pytest.approx(rows.predicted[~rows.positive].mean(), abs=2e-3)
        assert recall == pytest.approx(rows.predicted[rows.positive].mean(), abs=2e-3)
        places.append((z, recall))
    assert places == sorted(places, key=lambda place: -place[0])
    assert len(set(places)) == 4


# ---- keys, sizes, colours, paper -----------------------------------------------------------------


def test_everything_can_be_done_with_keys(open_page: Open) -> None:
    from selenium.webdriver import ActionChains, Keys

    example = of_classes()
    page = open_page(example)
    focused = []
    for _ in range(11):
        ActionChains(page.driver).send_keys(Keys.TAB).perform()
        focused.append(
            page.run("return document.activeElement.id || document.activeElement.className")
        )
    controls = ["fn", "fn-box", "fp", "fp-box", "goal", "goal-box", "reviewed", "reset"]
    assert focused[:10] == ["skip", "", *controls]  # the second one is a link
    page.run("document.getElementById('fn').focus()")
    outline = page.run("return getComputedStyle(document.getElementById('fn')).outlineStyle")
    ActionChains(page.driver).send_keys(*[Keys.ARROW_RIGHT] * 5).perform()
    assert page.box("fn") == float(f"{10 * 10**0.05:.3g}")
    assert (
        page.run("return document.getElementById('fn').getAttribute('aria-valuetext')")
        == "11.2 EUR"
    )
    check(page, expected(example, 1.12, 1))
    ActionChains(page.driver).send_keys(Keys.END).perform()
    assert page.box("fn") == 1000
    page.run("document.getElementById('reset').focus()")
    ActionChains(page.driver).send_keys(Keys.ENTER).perform()
    assert page.box("fn") == 10
    assert outline != "none"


@pytest.mark.parametrize("width", [320, 390, 768, 1440])
@pytest.mark.parametrize("name", ["classes", "mixed"])
def test_nothing_sticks_out(open_page: Open, chrome: Any, name: str, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page = open_page(EXAMPLES[name]())
        assert page.run("return document.documentElement.scrollWidth") <= width
        outside = page.run(
            "return [...document.querySelectorAll('svg, input, button, td, th, dd, h1, h3')]"
            ".filter(node => !node.closest(arguments[0] > 320 ? 'details .scroll' : '.scroll'))"
            ".filter(node => node.getBoundingClientRect().right > arguments[0] + 0.5)"
            ".map(node => node.outerHTML.slice(0, 80))",
            width,
        )
        assert outside == []
        shades = page.run(  # the edge of a table that scrolls has a shadow
            "return [...document.querySelectorAll('.scroll')]"
            ".map(node => getComputedStyle(node).backgroundImage.split('linear-gradient').length)"
        )
        assert set(shades) == {5}
        covered = page.run(
            "return [...document.querySelectorAll('figure svg')].flatMap(svg => {"
            "const s = svg.getBoundingClientRect();"
            "return [...svg.querySelectorAll('text')].filter(text => {"
            "const b = text.getBoundingClientRect();"
            "return b.width && (b.left < s.left - 1 || b.right > s.right + 1);"
            "}).map(text => text.textContent)})"
        )
        assert covered == []
    finally:
        chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("width", [390, 768])
def test_the_result_comes_before_the_controls(open_page: Open, chrome: Any, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page = open_page(of_classes())
        tops = page.run(
            "return ['header .verdict', '.money', '.result', '#controls', '.stack'].map(sel =>"
            "document.querySelector(sel).getBoundingClientRect().top)"
        )
        assert tops == sorted(tops)
        page.run("document.getElementById('goal').scrollIntoView({block: 'end'})")
        live = page.run(
            "const box = document.querySelector('[data-live]').getBoundingClientRect();"
            "return [box.top, box.height]"
        )
        assert 0 <= live[0] < 900
        assert live[1] > 20
    finally:
        chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def luminance(colour: str) -> float:
    numbers = [float(v) / 255 for v in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in numbers]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(one: str, other: str) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_can_be_read_in_light_and_dark(
    open_page: Open, chrome: Any, scheme: str
) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        page = open_page(of_classes())
        look = page.run(
            "const colour = (sel, what) => getComputedStyle(document.querySelector(sel))[what];"
            "const all = (sel, what) => [...document.querySelectorAll(sel)]"
            ".map(node => getComputedStyle(node)[what]);"
            "const back = 'backgroundColor';"
            "return {page: colour('body', back), card: colour('.card', back),"
            "text: all('p, dt, dd, small, td, th, figcaption, legend, h1, h2, h3, li', 'color'),"
            "words: all('svg text', 'fill'),"
            "lines: all('.line', 'stroke').concat(all('.now', 'fill'))}"
        )
        assert (luminance(look["page"]) > 0.5) == (scheme == "light")
        for ground in (look["page"], look["card"]):
            assert min(contrast(c, ground) for c in set(look["text"] + look["words"])) >= 4.5
            assert min(contrast(c, ground) for c in set(look["lines"])) >= 3
    finally:
        chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_it_prints(open_page: Open, chrome: Any) -> None:
    import base64

    page = open_page(of_classes())
    page.slide("fn", 50)
    pdf = base64.b64decode(chrome.print_page())
    assert pdf.startswith(b"%PDF")
    pages = pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page/") + pdf.count(b"/Type/Page/")
    assert 2 <= pages <= 12
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown_on_paper = page.run(
            "return ['#fn', '#reset', '#fn-box', '[data-out=cost]', '#plot-skew'].map(sel =>"
            "getComputedStyle(document.querySelector(sel)).display !== 'none')"
        )
        assert shown_on_paper == [False, False, True, True, True]
    finally:
        chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_nothing_is_requested_from_the_network(open_page: Open) -> None:
    page = open_page(EXAMPLES["mixed"]())
    assert page.run("return performance.getEntriesByType('resource').length") == 0
    assert page.run("return document.querySelectorAll('img, iframe, object').length") == 0
    assert page.errors() == []
