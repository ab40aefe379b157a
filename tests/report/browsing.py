"""A real browser for the tests of the page."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def browser(*options: str) -> Any:
    """A headless Chromium; the test is skipped where there is none."""
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    driver = shutil.which("chromedriver")
    binary = shutil.which("chromium") or shutil.which("google-chrome")
    if driver is None or binary is None:
        pytest.skip("neither chromium with chromedriver nor google-chrome with it is installed")
    chosen = selenium.ChromeOptions()
    chosen.binary_location = binary
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        chosen.add_argument(option)
    for option in options:
        chosen.add_argument(option)
    chosen.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return selenium.Chrome(options=chosen, service=selenium.ChromeService(driver))


class Page:
    """An open page, with its sliders, boxes and numbers."""

    def __init__(self, driver: Any, path: Path) -> None:
        self.driver = driver
        driver.get(path.as_uri())
        assert self.run("return document.documentElement.dataset.ready") == "true"

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def texts(self) -> dict[str, str]:
        """All numbers that sliders change."""
        return dict(
            self.run(
                "return [...document.querySelectorAll('[data-out]')]"
                ".map(node => [node.dataset.out, node.textContent])"
            )
        )

    def slide(self, name: str, place: float) -> float:
        """Move a slider and return the value of its box."""
        self.run(
            "const slider = document.getElementById(arguments[0]);"
            "slider.value = arguments[1]; slider.dispatchEvent(new Event('input'))",
            name,
            place,
        )
        return self.box(name)

    def type(self, name: str, value: object) -> None:
        """Write a number into a box, key by key, in place of what is there."""
        self.select(name)
        self.keys(name, str(value))

    def select(self, name: str) -> None:
        """Mark what is in a box, so that the next key replaces it."""
        self.run("document.getElementById(arguments[0]).select()", f"{name}-box")

    def keys(self, name: str, keys: str) -> None:
        """Press keys in a box."""
        self.driver.find_element("id", f"{name}-box").send_keys(keys)

    def leave(self, name: str) -> None:
        """Go on to the next control, as the tabulator does."""
        self.driver.find_element("id", f"{name}-box").send_keys("\ue004")

    def refused(self, name: str) -> str:
        """What the page prints below a box."""
        return str(
            self.run("return document.getElementById(arguments[0]).innerText", f"{name}-refused")
        )

    def set(self, name: str, value: object) -> None:
        """Put a number into a box at once."""
        self.run(
            "const box = document.getElementById(arguments[0]); box.value = arguments[1];"
            "box.dispatchEvent(new Event('input'))",
            f"{name}-box",
            repr(float(value)),  # type: ignore[arg-type]
        )

    def check(self, name: str) -> None:
        """Click a check box."""
        self.run("document.getElementById(arguments[0]).click()", name)

    def box(self, name: str) -> float:
        return float(self.run("return document.getElementById(arguments[0]).value", f"{name}-box"))

    def errors(self) -> list[Any]:
        """Console messages since the last call."""
        return [entry for entry in self.driver.get_log("browser") if entry["level"] != "DEBUG"]


Open = Callable[..., Page]
"""Writes the report of an example, with other options, and opens it."""
