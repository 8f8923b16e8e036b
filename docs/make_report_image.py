"""Write ``docs/images/report.png``, the top of a report: ``python docs/make_report_image.py``.

Fits the bundled cars as ``holdfast fit cars.csv --target price --report report.html`` does, and
photographs the page in headless Chromium (Debian: ``apt-get install chromium``).
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from playwright.sync_api import sync_playwright

from holdfast.data import load_auto_price
from holdfast.report import write_report
from holdfast.table_models.findings import findings_of
from holdfast.table_models.fitting import fit, honest, ready
from holdfast.table_models.methods import method_named
from holdfast.table_models.preparing import Asked, prepare

IMAGE = Path(__file__).with_name("images") / "report.png"
WIDTH, HEIGHT = 1100, 1680


def findings(folder):
    """What the command line finds of the cars."""
    cars = load_auto_price()
    frame = pl.DataFrame(cars.X, schema=list(cars.feature_names))
    frame.with_columns(pl.Series("price", cars.y)).write_csv(folder / "cars.csv")
    prepared, method = prepare(Asked(folder / "cars.csv", "price")), method_named("forward")
    case = ready(prepared, method, {})
    return findings_of(prepared, method, fit(case), honest(case), 1.0)


def main():
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        write_report(findings(folder), folder / "report.html")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto((folder / "report.html").as_uri())
        page.wait_for_selector("html[data-ready]")
        page.screenshot(path=IMAGE)
        browser.close()
    print(f"wrote {IMAGE}")


if __name__ == "__main__":
    main()
