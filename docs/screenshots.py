"""Takes the pictures of report.md: ``python docs/screenshots.py``.

Runs the code of the page and photographs the report in headless Chromium, at three widths, and its
controls with reviews by a person. Needs selenium, Chromium and its driver.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("report.md")
FOLDER = PAGE.parent / "images"
SIZES = {1440: 1500, 768: 1500, 390: 1900}
"""Widths of the screen and heights of the pictures."""


def make_report(folder: Path) -> Path:
    """The report that the page writes."""
    code = "".join(
        re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    )
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, PAGE, "exec"), {"__name__": PAGE.stem})
    finally:
        os.chdir(before)
    return folder / "payments.html"


def browser() -> Any:
    """A headless Chromium."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for option in ("--headless=new", "--no-sandbox", "--hide-scrollbars"):
        options.add_argument(option)
    return webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))


def photograph(report: Path) -> list[Path]:
    """Pictures of the top of the page, one for each width."""
    driver = browser()
    written = []
    for width, height in SIZES.items():
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        driver.get(report.as_uri())
        written.append(FOLDER / f"report-{width}.png")
        driver.save_screenshot(str(written[-1]))
    written.append(_with_reviews(driver, report))
    driver.quit()
    for path in written:
        _shrink(path)
    return written


def _with_reviews(driver: Any, report: Path) -> Path:
    """Picture of the controls and the results with at most 15 reviews."""
    screen = {"width": 1100, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    driver.get(report.as_uri())
    driver.execute_script(
        "document.getElementById('reviewed').click();"
        "const slider = document.getElementById('capacity'); slider.value = 15;"
        "slider.dispatchEvent(new Event('input'));"
        "document.getElementById('decide').scrollIntoView()"
    )
    path = FOLDER / "report-reviews.png"
    driver.save_screenshot(str(path))
    return path


def _shrink(path: Path) -> None:
    """256 colours are enough for a page, and save most of the bytes."""
    from PIL import Image

    Image.open(path).convert("RGB").quantize(256).save(path, optimize=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for path in photograph(make_report(Path(folder))):
            print(path.relative_to(PAGE.parent), path.stat().st_size)
