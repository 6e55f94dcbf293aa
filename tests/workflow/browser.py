"""Headless Chromium, driven by its DevTools protocol over a pair of pipes: no driver and no package
between.
"""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from select import select

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 60  # seconds that anything may take


def chromium() -> str | None:
    """Path of the browser, None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page, the frames in it, and what went wrong in them."""

    def __init__(self, executable: str, folder: Path):
        self.errors: list[str] = []
        self._calls, self._buffer, self._answers = 0, b"", {}
        # (session, context) -> frame, in the order in which they came
        self._contexts: dict[tuple, str] = {}
        hears, self._say = os.pipe()
        self._hear, says = os.pipe()
        options = [
            "--headless", "--remote-debugging-pipe", "--no-first-run", "--window-size=1400,900",
            f"--user-data-dir={folder}",
            "--no-sandbox",  # root has none, and only our own file is shown
            "--disable-dev-shm-usage",  # containers have little
        ]  # fmt: skip
        # the protocol's pipes are 3 and 4: both ends are first moved out of their way
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in (hears, says)]
        with (folder / "stderr.txt").open("w") as stderr:
            self._process = subprocess.Popen(
                [executable, *options],
                stdin=subprocess.DEVNULL, stdout=stderr, stderr=stderr,
                close_fds=False,
                preexec_fn=lambda: [os.dup2(end, 3 + i) for i, end in enumerate(ends)],
            )  # fmt: skip
        for fd in (hears, says, *ends):
            os.close(fd)
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self._attend(self._session)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(PATIENCE)
        os.close(self._say)
        os.close(self._hear)

    def open(self, address: str) -> None:
        self._call("Page.navigate", self._session, url=address)
        self.wait("document.readyState === 'complete'")

    def show_as(self, width: int, height: int, is_dark: bool = False) -> None:
        """Show what is opened next on a screen of this size, in light or dark colours."""
        self._call(
            "Emulation.setDeviceMetricsOverride", self._session,
            width=width, height=height, deviceScaleFactor=1, mobile=width < 700,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self._call("Emulation.setEmulatedMedia", self._session, features=[scheme])

    def value(self, expression: str, frame: bool = False):
        """What a JavaScript expression gives, in the page or in the frame that it opened last."""
        session, context = self._session, {}
        if frame:
            main = self._call("Page.getFrameTree", self._session)["frameTree"]["frame"]["id"]
            session, number = [key for key, of in self._contexts.items() if of != main][-1]
            context = {"contextId": number}
        how = dict.fromkeys(("returnByValue", "awaitPromise", "userGesture"), True)
        found = self._call("Runtime.evaluate", session, expression=expression, **how, **context)
        assert "exceptionDetails" not in found, f"{expression}: {found['exceptionDetails']}"
        return found["result"].get("value")

    def picture(self) -> bytes:
        """What the screen shows, as PNG."""
        return base64.b64decode(
            self._call("Page.captureScreenshot", self._session, format="png")["data"]
        )

    def wait(self, expression: str, frame: bool = False) -> None:
        """Until an expression counts as true."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if self.value(f"Boolean({expression})", frame):
                    return
            except (AssertionError, LookupError, RuntimeError):  # what it asks for is not there yet
                pass
            time.sleep(0.05)
        raise AssertionError(
            f"not within {PATIENCE} seconds: {expression}; errors of the page: {self.errors}"
        )

    def _attend(self, session: str) -> None:
        for domain in ("Runtime", "Log", "Page"):
            self._call(f"{domain}.enable", session)
        # a frame may get a process, and so a session, of its own
        how = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
        self._call("Target.setAutoAttach", session, **how)

    def _call(self, method: str, session: str | None = None, **params):
        self._calls += 1
        number = self._calls
        message = {"id": number, "method": method, "params": params} | (
            {"sessionId": session} if session else {}
        )
        os.write(self._say, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while number not in self._answers:
            ready, _, _ = select([self._hear], [], [], max(0, end - time.monotonic()))
            piece = os.read(self._hear, 1 << 20) if ready else b""
            if not piece:
                raise TimeoutError(f"the browser does not answer {method}")
            *messages, self._buffer = (self._buffer + piece).split(b"\0")
            for text in messages:
                self._take(json.loads(text))
        answer = self._answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _take(self, message: dict) -> None:
        if "id" in message:
            self._answers[message["id"]] = message
            return
        event, params, session = message["method"], message["params"], message.get("sessionId")
        context = params.get("context", {})
        if event == "Runtime.executionContextCreated" and context["auxData"]["isDefault"]:
            self._contexts[session, context["id"]] = context["auxData"]["frameId"]
        elif event == "Runtime.executionContextDestroyed":
            self._contexts.pop((session, params["executionContextId"]), None)
        elif event == "Runtime.executionContextsCleared":
            for key in [key for key in self._contexts if key[0] == session]:
                del self._contexts[key]
        elif event == "Target.attachedToTarget" and session is not None:
            self._attend(params["sessionId"])
        elif event == "Runtime.exceptionThrown":
            thrown = params["exceptionDetails"].get("exception", {})
            self.errors.append(str(thrown.get("description", params)))
        elif event == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            said = [part.get("value", part.get("description")) for part in params["args"]]
            self.errors.append(str(said))
        elif event == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
