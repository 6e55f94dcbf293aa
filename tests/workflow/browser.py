"""Headless Chromium, by Playwright: one page, and what went wrong in it.

Playwright is no requirement of the project, nor is Chromium: where one is not installed the tests
are skipped. `pip install playwright` brings it; the browser is the system's.
"""

import shutil
import time

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 60_000  # milliseconds that anything may take


class Browser:
    """One page, the frame in it, and the errors of both."""

    def __init__(self):
        api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
        executable = next(filter(None, map(shutil.which, NAMES)), None)
        if executable is None:
            pytest.skip("no chromium: apt-get install chromium")
        self.errors: list[str] = []
        self._error = api.Error
        self._started = api.sync_playwright().start()
        # root has no sandbox, and only our own file is shown; containers have little shared memory
        options = ["--no-sandbox", "--disable-dev-shm-usage"]
        self._chromium = self._started.chromium.launch(executable_path=executable, args=options)
        self._page = self._chromium.new_page(viewport={"width": 1400, "height": 900})
        self._page.set_default_timeout(PATIENCE)
        self._page.on("pageerror", lambda error: self.errors.append(str(error)))
        self._page.on("console", self._hear)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._chromium.close()
        self._started.stop()

    def _hear(self, message) -> None:
        if message.type in ("error", "assert"):
            self.errors.append(message.text)

    def open(self, address: str) -> None:
        self._page.goto(address)

    def show_as(self, width: int, height: int) -> None:
        """Show what is opened next on a screen of this size."""
        self._page.set_viewport_size({"width": width, "height": height})

    def value(self, expression: str, frame: bool = False):
        """What a JavaScript expression gives, in the page or in the frame that it opened last."""
        return (self._page.frames[-1] if frame else self._page).evaluate(expression)

    def wait(self, expression: str, frame: bool = False) -> None:
        """Until an expression counts as true; by questions, as a page may forbid what evaluates."""
        end = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < end:
            try:
                if self.value(f"Boolean({expression})", frame):
                    return
            except self._error:  # what it asks for is not there yet
                pass
            self._page.wait_for_timeout(50)
        raise AssertionError(f"not in time: {expression}; errors of the page: {self.errors}")
