"""Open each page of the built site in a headless Chromium: `python -m tests.docs.browse [folder]`.

It needs `pip install playwright` and a Chromium (`--chromium`), and is no part of the test suite.
It fails if a page says something on the console, asks for something that is not there or is
elsewhere, has a picture that does not show or has no text, leads to an anchor that is not there,
is wider than a narrow screen, or if the search does not find the pages of `SEARCHES`. With a folder
it keeps a picture of each page there.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import pathlib
import shutil
import sys
import threading
import urllib.parse
from typing import Any

from playwright.sync_api import Page, sync_playwright

SITE = pathlib.Path(__file__).parents[2] / "out" / "site"
SCREENS = {"wide": (1280, 900), "narrow": (390, 844)}
SEARCHES = {
    "checkpoint": "reliability.html",
    "texts": "tutorial/lists.html",
    "task_timeout": "cluster.html",
    "ray": "reference/pcbatch.executors.ray.html",
    "value_and_grad": "reference/pcbatch.value_and_grad.html",
    "from_pymc": "reference/nuts.from_pymc.html",
    "discrete": "discrete.html",
    "recursion": "tutorial/recursion.html",
    "install": "index.html",
}
"""What a reader may look for, and a page that is to be among the first results."""
LOOK = """() => ({
    hidden: [...document.images].filter(i => !(i.complete && i.naturalWidth)).map(i => i.src),
    unnamed: [...document.images].filter(i => !i.alt).map(i => i.src),
    wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    ids: [...document.querySelectorAll("[id]")].map(e => e.id),
    links: [...document.querySelectorAll("a[href]")].map(a => a.href),
})"""


def main() -> None:
    """Print the faults, and how much was looked at."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", help="for pictures")
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    options = parser.parse_args()
    address, faults = served(), []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
        looks = {}
        for screen, (width, height) in SCREENS.items():
            page = browser.new_page(viewport={"width": width, "height": height})
            heard = listened(page, address)
            for name in sorted(str(p.relative_to(SITE)) for p in SITE.rglob("*.html")):
                looks[name] = opened(page, address + name)
                faults += [f"{screen} {name}: {fault}" for fault in [*heard, *seen(looks[name])]]
                heard.clear()
                if options.folder:
                    picture = f"{name.removesuffix('.html').replace('/', '_')}.{screen}.png"
                    page.screenshot(path=pathlib.Path(options.folder, picture))
        faults += missing(looks, address)
        for word in SEARCHES:
            faults += searched(browser.new_page(), address, word)
    print("\n".join(faults))
    links = sum(len(look["links"]) for look in looks.values())
    print(f"{len(looks)} pages, {links} links, {len(SEARCHES)} searches: {len(faults)} faults")
    sys.exit(bool(faults))


def served() -> str:
    """The address at which the site is served while the process runs."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments: Any) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(SITE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def listened(page: Page, address: str) -> list[str]:
    """A list to which all that goes wrong on a page is added."""
    heard: list[str] = []
    page.on("console", lambda m: heard.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("response", lambda r: heard.append(f"{r.status} {r.url}") if r.status >= 400 else None)
    here = (address, "data:", "blob:")
    page.on("request", lambda r: None if r.url.startswith(here) else heard.append(r.url))
    return heard


def opened(page: Page, url: str) -> dict[str, Any]:
    """What there is on a page once it has loaded."""
    page.goto(url, wait_until="load")
    page.wait_for_timeout(50)
    return page.evaluate(LOOK)


def seen(look: dict[str, Any]) -> list[str]:
    """What is wrong with what there is."""
    faults = [f"the picture {source} does not show" for source in look["hidden"]]
    faults += [f"the picture {source} has no text" for source in look["unnamed"]]
    return faults + (["it is wider than the screen"] if look["wider"] > 0 else [])


def missing(looks: dict[str, dict[str, Any]], address: str) -> list[str]:
    """Links within the site that lead nowhere."""
    faults = []
    for name, look in looks.items():
        for link in look["links"]:
            if not link.startswith(address):
                continue
            path, _, anchor = urllib.parse.unquote(link.removeprefix(address)).partition("#")
            path = path.partition("?")[0] or "index.html"
            if not (SITE / path).is_file():
                faults.append(f"{name} leads to {path}, which is not there")
            elif anchor and path in looks and anchor not in looks[path]["ids"]:
                faults.append(f"{name} leads to {path}#{anchor}, which is not there")
    return faults


def searched(page: Page, address: str, word: str) -> list[str]:
    """Whether the search finds the page for a word."""
    page.goto(address)
    page.click("input.md-search__input")
    page.locator("input.md-search__input").press_sequentially(word, delay=20)
    page.wait_for_selector(".md-search-result__item", timeout=20_000)
    page.wait_for_timeout(500)
    links = page.eval_on_selector_all(".md-search-result__link", "all => all.map(a => a.href)")
    first = [urllib.parse.urlparse(link).path.lstrip("/") for link in links[:12]]
    wanted = SEARCHES[word]
    return [] if wanted in first else [f"search for {word}: {wanted} is not among {first}"]


if __name__ == "__main__":
    main()
