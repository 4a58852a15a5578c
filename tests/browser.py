#!/usr/bin/env python3
"""Opens HTML pages of this tree in headless Chromium and checks what only a browser can tell: no message on the
console, sorting by a click, source and instructions picked together, planted markup that stays text, parts that a link
opens, and no sideways scrolling on a phone. Screenshots (light, dark, phone, source view) go to the folder given
with --shots, for people to look at.

Needs Chromium and ChromeDriver (Debian: chromium, chromium-driver) and a built target/debug/audit. Not a part of
`cargo test`: run it after a change to report-templates/*.html.hbs or src/render/html/.
"""

import argparse
import base64
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import packed

ROOT = pathlib.Path(__file__).resolve().parent.parent
PORT = 9517


class Browser:
    def __init__(self, profile, dark):
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   f"--user-data-dir={profile}", "--window-size=1400,1000"]
        if dark:
            options += ["--blink-settings=preferredColorScheme=0"]
        wanted = {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
                  "goog:chromeOptions": {"args": options}}
        self.base = f"http://127.0.0.1:{PORT}"
        made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += f"/session/{made['sessionId']}"

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            sys.exit(f"{method} {path}: {error.read().decode()}")

    def open(self, page):
        self.call("POST", "/url", {"url": page.as_uri()})

    def run(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def messages(self):
        return self.call("POST", "/se/log", {"type": "browser"})

    def shot(self, path):
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def size(self, width, height):
        # A window cannot be as narrow as a phone; the emulated screen can.
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}})

    def close(self):
        self.call("DELETE", "")


def expect(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")
    print(f"ok: {what}")


def generate(out, *words):
    made = subprocess.run([ROOT / "target/debug/audit", "generate", "--format", "html", "--out", out, "--date", "2026-11-20",
                           "--commit", "c", *words], cwd=ROOT, capture_output=True, text=True)
    expect(made.returncode == 0, f"a page is made: {' '.join(str(word) for word in words[:2])} {made.stderr.strip()}")
    return pathlib.Path(made.stdout.strip())


def planted(folder):
    """A report whose kernel name and source are markup, of the same length, under a name that is markup."""
    report = packed.contents(ROOT / "tests/fixtures/collected/patch_embed_gemm_mma/profile.ncu-repz")
    for old, new in ((b"patch_embed_gemm_mma", b"<svg onload=plant()>"),
                     (b"(j % 2u) * 2u], b_fragment[j / 2u]", b"<script>window.planted=1</script>;")):
        assert len(old) == len(new) and old in report
        report = report.replace(old, new)
    path = folder / "<img src=x onerror=plant()>.ncu-rep"
    path.write_bytes(report)
    return path


def column(browser, table, at):
    return browser.run(f"""return Array.from(document.querySelectorAll('[data-table="{table}"] tbody tr'))
        .map(row => row.cells[{at}].dataset.key || row.cells[{at}].textContent)""")


def click(browser, table, at):
    browser.run(f"""document.querySelectorAll('[data-table="{table}"] thead button')[{at}].click()""")


def check(browser, page, shots, name):
    browser.size(1400, 1000)
    browser.open(page)
    expect(not browser.messages(), f"{name}: the console is empty")
    given = column(browser, "share", 2)
    click(browser, "share", 2)
    down = [float(key) for key in column(browser, "share", 2)]
    expect(down == sorted(down, reverse=True), f"{name}: numbers sort downwards")
    click(browser, "share", 2)
    up = [float(key) for key in column(browser, "share", 2)]
    expect(up == sorted(up) and up != down, f"{name}: numbers sort upwards")
    click(browser, "share", 2)
    expect(column(browser, "share", 2) == given, f"{name}: the third click gives the first order back")
    click(browser, "share", 0)
    words = column(browser, "share", 0)
    expect(words == sorted(words, key=str.lower), f"{name}: words sort by the alphabet")
    named = "return Array.from(document.querySelectorAll('th button')).every(button => button.textContent)"
    expect(browser.run(named), f"{name}: no header without words sorts")
    expect(browser.run("return document.body.textContent.includes('audit render')") is False,
           f"{name}: the page with all tables does not send its reader elsewhere for them")
    expect(browser.run("return document.querySelectorAll('figure svg').length") >= 3, f"{name}: charts are drawn")
    width = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    expect(browser.run(width) <= 0, f"{name}: nothing sticks out at the side")
    closed = "return document.querySelectorAll('details.part:not([open])').length"
    parts = browser.run(closed)
    browser.run("location.hash = '#source-view'; dispatchEvent(new Event('hashchange'))")
    expect(parts > 5 and browser.run(closed) == parts - 1, f"{name}: a link opens its part, and no other")
    browser.shot(shots / f"{name}.png")
    picked = browser.run("""
        const row = Array.from(document.querySelectorAll('.pane:first-child tr[data-line]')).find(r => r.cells[1].textContent);
        row.click();
        document.getElementById('source-view').scrollIntoView();
        return [row.dataset.line, Array.from(document.querySelectorAll('.pane:last-child tr.on')).map(r => r.dataset.line)]""")
    expect(len(picked[1]) > 0 and set(picked[1]) == {picked[0]}, f"{name}: a line picks its instructions")
    browser.shot(shots / f"{name}-source.png")
    browser.size(390, 844)
    browser.open(page)
    expect(browser.run(width) <= 0, f"{name}: a phone shows it without sideways scrolling")
    browser.shot(shots / f"{name}-phone.png")
    browser.run("document.getElementById('stalls').scrollIntoView()")
    browser.shot(shots / f"{name}-phone-stalls.png")
    expect(not browser.messages(), f"{name}: the console stays empty")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shots", type=pathlib.Path, help="folder for screenshots [default: none are kept]")
    shots = parser.parse_args().shots
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        shots = shots or folder
        shots.mkdir(parents=True, exist_ok=True)
        fixtures = ROOT / "tests/fixtures/labelled"
        page = generate(folder, "--report", fixtures / "transpose_padded.ncu-repz", "--baseline",
                        fixtures / "transpose_tiled.ncu-repz", "--baseline-kernel", "tiled")
        bad = generate(folder, "--report", planted(folder), "--title", "</title><script>window.planted=2</script>")
        driver = subprocess.Popen(["chromedriver", f"--port={PORT}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(100):
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{PORT}/status", timeout=5).close()
                    break
                except (urllib.error.URLError, ConnectionError):
                    time.sleep(0.1)
            for name, dark in (("light", False), ("dark", True)):
                browser = Browser(folder / name, dark)
                check(browser, page, shots, name)
                scheme = browser.run("return getComputedStyle(document.body).backgroundColor")
                expect((scheme == "rgb(13, 17, 23)") == dark, f"{name}: the colours follow the reader's scheme")
                if not dark:
                    browser.open(bad)
                    state = browser.run("""return [typeof window.planted, document.scripts.length,
                        document.querySelectorAll('img, [onload], [onerror], [onclick]').length,
                        document.body.textContent.includes('<svg onload=plant()>'),
                        document.body.textContent.includes('<script>window.planted=1</script>'),
                        document.body.textContent.includes('<img src=x onerror=plant()>')]""")
                    expect(state == ["undefined", 1, 0, True, True, True], "planted markup stays text")
                    expect(not browser.messages(), "planted markup: the console is empty")
                browser.close()
        finally:
            driver.terminate()
            driver.wait()
    print("all checks passed")


if __name__ == "__main__":
    main()
