"""Write ``docs/images/report.png``, the top of a report: ``python docs/make_report_image.py``.

Fits the flats of the tutorial on the command line and photographs the page in headless Chromium
(Debian: ``apt-get install chromium``).
"""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).parent
IMAGE = DOCS / "images" / "report.png"
COMMAND = "fit flats.csv --target rent --impute median --drop id --quiet --report"
WIDTH, HEIGHT = 1100, 1700


def main():
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        report = Path(name) / "rent.html"
        command = [sys.executable, "-m", "holdfast.cli", *COMMAND.split(), str(report)]
        subprocess.run(command, cwd=DOCS / "tutorials", check=True)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(report.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.screenshot(path=IMAGE)
        browser.close()
    print(f"wrote {IMAGE}")


if __name__ == "__main__":
    main()
