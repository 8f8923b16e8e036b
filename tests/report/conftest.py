"""A browser, and pages as it sees them."""

import os
import shutil

import pytest

from holdfast.report import write_report


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium; without it the tests are skipped, or fail where CI expects it.

    It ends with the module: while it runs, this thread has a running event loop.
    """
    path = shutil.which("chromium")
    if path is None:
        reason = "no chromium here: apt-get install chromium"
        if os.environ.get("HOLDFAST_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # CI may run as root, for whom Chromium has no sandbox.
        started = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield started
        started.close()


@pytest.fixture
def opened(browser, tmp_path):
    """A function that writes a report and opens it; at the end nothing may have gone wrong."""
    troubles, contexts = [], []

    def open_report(findings, *, scheme="light", width=1200, provenance=None):
        file = tmp_path / f"report{len(contexts)}.html"
        write_report(findings, file, provenance=provenance)
        context = browser.new_context(
            color_scheme=scheme, viewport={"width": width, "height": 900}, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
        address = file.as_uri()
        page.on(
            "request",
            lambda request: (
                None if request.url == address else troubles.append(f"request: {request.url}")
            ),
        )
        page.goto(address)
        page.wait_for_selector("html[data-ready]", timeout=30_000)
        return page

    yield open_report
    for context in contexts:
        context.close()
    assert troubles == []
