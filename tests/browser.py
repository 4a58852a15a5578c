#!/usr/bin/env python3
"""Opens HTML pages of this tree in headless Chromium and checks what only a browser can tell: no message on the
console, sorting by a click, source and instructions picked together, the samples of both sides by line, the chart of memory
on a screen, a phone and paper, planted markup that stays text, parts that a link opens, and no sideways scrolling on a phone.
Screenshots (light, dark, phone, source view) go to the folder given
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
    apart = browser.run(r"return document.body.innerText.match(/\d (?:%|µs|ms|kB|MB|GB|GHz|TFLOP\/s)(?![\w/])/g)")
    expect(not apart, f"{name}: no line ends between a number and its unit: {apart}")
    width = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    expect(browser.run(width) <= 0, f"{name}: nothing sticks out at the side")
    closed = "return document.querySelectorAll('details.part:not([open])').length"
    parts = browser.run(closed)
    browser.run("location.hash = '#source-view'; dispatchEvent(new Event('hashchange'))")
    expect(parts > 5 and browser.run(closed) == parts - 1, f"{name}: a link opens its part, and no other")
    browser.shot(shots / f"{name}.png")
    picked = browser.run("""
        const row = Array.from(document.querySelectorAll('.pane:first-child tr[data-line]')).find(r => r.cells[2].textContent);
        row.click();
        document.getElementById('source-view').scrollIntoView();
        return [row.dataset.line, Array.from(document.querySelectorAll('.pane:last-child tr.on')).map(r => r.dataset.line)]""")
    expect(len(picked[1]) > 0 and set(picked[1]) == {picked[0]}, f"{name}: a line picks its instructions")
    browser.shot(shots / f"{name}-source.png")
    memory(browser, shots, name)
    sources(browser, name)
    browser.size(390, 844)
    browser.open(page)
    expect(browser.run(width) <= 0, f"{name}: a phone shows it without sideways scrolling")
    inside = browser.run("const next = document.querySelector('[data-table=next]').parentNode; return next.scrollWidth <= next.clientWidth")
    expect(inside, f"{name}: a phone shows each action of Next whole")
    browser.shot(shots / f"{name}-phone.png")
    browser.run("document.getElementById('stalls').scrollIntoView()")
    browser.shot(shots / f"{name}-phone-stalls.png")
    memory(browser, shots, f"{name}-phone")
    printed(browser, page, shots, name)
    expect(not browser.messages(), f"{name}: the console stays empty")


def printed(browser, page, shots, name):
    """The page on A4 paper: no controls, no scroll bars, nothing cut off, dark ink on white."""
    browser.size(794, 1123)
    browser.open(page)
    browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"media": "print"}})
    shown = browser.run("return Array.from(document.querySelectorAll('nav, .tools')).filter(e => e.offsetParent).length")
    expect(shown == 0, f"{name}: paper has no controls")
    cut = browser.run("""return Array.from(document.querySelectorAll('.wide, .pane')).filter(e => e.offsetParent)
        .filter(e => ['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowX)).length""")
    expect(cut == 0, f"{name}: paper cuts nothing off")
    ink = browser.run("return [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")
    light = [sum(int(part) for part in colour[colour.index("(") + 1:-1].split(",")[:3]) for colour in ink]
    expect(light[0] > light[1], f"{name}: paper has dark ink on white: {ink}")
    browser.shot(shots / f"{name}-printed.png")
    width = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    expect(browser.run(width) <= 0, f"{name}: no table is wider than the paper")
    memory(browser, shots, f"{name}-printed")
    browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"media": ""}})


def memory(browser, shots, name):
    """The bytes of each level, old above new, with hit rates: whole on the screen, and bars that stand out from the page."""
    figure = """const part = document.getElementById('throughput').querySelector('details'); part.open = true;
        const figure = Array.from(part.querySelectorAll('figure')).find(f => f.textContent.includes('Bytes by level'));
        figure.scrollIntoView({ block: 'center' }); const box = figure.querySelector('svg').getBoundingClientRect();"""
    texts = browser.run(figure + "return Array.from(figure.querySelectorAll('text'), text => text.textContent)")
    expect(sum("hit in L2" in text for text in texts) == 2 and "DRAM read" in texts, f"{name}: bytes and hit rates of both sides: {texts}")
    inside = browser.run(figure + "return box.left >= 0 && box.right <= innerWidth + 1 && box.width > 250")
    expect(inside, f"{name}: the chart of memory is on the screen whole")
    bars = browser.run(figure + """return ['old', 'new'].map(side => getComputedStyle(figure.querySelector('.chart-' + side)).fill)""")
    ground = browser.run("return getComputedStyle(document.body).backgroundColor")
    expect(len(set(bars)) == 2 and ground not in bars, f"{name}: old and new differ in colour: {bars}")
    browser.shot(shots / f"{name}-memory.png")


def sources(browser, name):
    """The tools of the source view and of tables, and the values over time."""
    tools = "const [metric, filter] = document.querySelectorAll('.tools.shown select, .tools.shown input');"
    on = "return Array.from(document.querySelectorAll('.lines tr.at'), row => row.closest('.pane').matches(':first-child') ? row.cells[2].textContent : row.cells[1].textContent)"
    hot = browser.run("Array.from(document.querySelectorAll('.tools.shown button')).find(b => b.textContent === 'Hottest').click();" + on)
    most = browser.run("return Math.max(...Array.from(document.querySelectorAll('.pane:first-child tr[data-line]'), row => parseFloat(row.cells[2].textContent) || 0))")
    expect([float(text.split()[0]) for text in hot] == [most], f"{name}: the hottest line is picked")
    both = browser.run("""return Array.from(document.querySelectorAll('.pane:first-child tr[data-line]'))
        .filter(row => row.cells[1].textContent && row.cells[2].textContent).length""")
    before = "return document.querySelectorAll('.lines td.old[class*=\" h\"]').length"
    shares = browser.run("return Array.from(document.querySelectorAll('.lines td.old'), cell => parseFloat(cell.textContent) || 0)")
    expect(99.0 <= sum(shares) <= 101.0, f"{name}: the old side's samples are all there: {sum(shares)}")
    expect(both >= 1 and browser.run(before) >= both, f"{name}: {both} lines have the samples of both sides")
    heat = "return document.querySelectorAll('.lines td.h9:not(.old)').length"
    samples = browser.run(heat)
    executed = browser.run(tools + "metric.value = 'Executed'; metric.dispatchEvent(new Event('change'));" + heat)
    expect(executed > samples >= 2, f"{name}: colours show another count")
    expect(browser.run(before) >= both, f"{name}: those of the old side stay")
    opcode = "Array.from(document.querySelectorAll('.pane:last-child tr[data-line]')).filter(row => !row.hidden).map(row => row.cells[2].textContent)"
    left = browser.run(tools + f"filter.value = 'ldg'; filter.dispatchEvent(new Event('input')); return {opcode}")
    whole = browser.run(tools + f"filter.value = ''; filter.dispatchEvent(new Event('input')); return {opcode}")
    expect(left and set(left) == {"LDG"} and len(whole) > len(left), f"{name}: the filter leaves the rows of a word")
    saved = browser.run(tools + """filter.value = 'ldg'; filter.dispatchEvent(new Event('input'));
        let saved; const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { saved = blob; return make.call(URL, blob) };
        Array.from(document.querySelectorAll('.pane:last-child .tools button')).find(b => b.textContent === 'CSV').click();
        URL.createObjectURL = make; filter.value = ''; filter.dispatchEvent(new Event('input')); return saved.text()""")
    expect(len(saved.splitlines()) == len(left) + 1, f"{name}: the rows of the source view that are shown are saved as CSV")
    walked = browser.run("""const pane = document.querySelector('.pane:first-child'), at = () => pane.querySelector('tr.at').rowIndex, was = at();
        pane.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', cancelable: true })); return at() - was""")
    expect(walked == 1, f"{name}: arrow keys walk over the lines")
    saved = browser.run("""let saved; const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { saved = blob; return make.call(URL, blob) };
        const table = document.querySelector('[data-table="share"]').parentElement;
        Array.from(table.previousElementSibling.children).find(b => b.textContent === 'CSV').click();
        URL.createObjectURL = make; return saved.text()""")
    rows = browser.run("return document.querySelectorAll('[data-table=\"share\"] tr').length")
    expect(len(saved.splitlines()) == rows and saved.splitlines()[0].count('","') >= 2, f"{name}: a table is saved as CSV")


def over_time(browser, page, shots, name, panels):
    """Values over time by a real pointer, a finger and keys, on a screen, a phone and paper."""
    figure = "const figure = document.querySelector('figure.over-time'), svg = figure.querySelector('svg'), box = svg.getBoundingClientRect();"
    say = figure + "return figure.querySelector('output').textContent"

    def act(*actions, kind="mouse"):
        browser.call("POST", "/actions", {"actions": [{"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": list(actions)}]})
        return browser.run(say)

    def at(share):
        """The point of the chart at a share of its width."""
        x, y = browser.run(figure + f"return [box.left + {share} * box.width, box.top + box.height / 2]")
        return {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}

    def numbers(said):
        return [float(part.split()[0]) for part in said.split(" | ")]

    for width, height in ((1400, 1000), (390, 844)):
        where = f"{name}, {width} px"
        browser.size(width, height)
        browser.open(page)
        browser.run(figure + "figure.scrollIntoView({ block: 'center' })")
        inside = browser.run(figure + "return box.left >= 0 && box.right <= innerWidth + 1 && box.width > 250 && box.height > 60")
        aside = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        expect(inside and aside <= 0, f"{where}: the chart over time is on the screen whole")
        if width > 600:
            early, late = act(at(0.3)), act(at(0.6))
        else:
            tap = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
            early, late = act(at(0.3), *tap, kind="touch"), act(at(0.6), *tap, kind="touch")
        expect(len(numbers(early)) == panels and "%" in early and all(a < b for a, b in zip(numbers(early), numbers(late))),
               f"{where}: values under the pointer: {late}")
        browser.run(figure + "figure.focus()")
        for _ in range(2):
            browser.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
                {"type": "keyDown", "value": "\ue014"}, {"type": "keyUp", "value": "\ue014"}]}]})
        after = browser.run(say)
        expect(all(a < b for a, b in zip(numbers(late), numbers(after))), f"{where}: an arrow key goes on from there: {after}")
        cursors = browser.run(figure + "return Array.from(svg.querySelectorAll('.chart-cursor'), path => getComputedStyle(path).stroke)")
        expect(len(cursors) == panels and "none" not in cursors, f"{where}: a cursor is drawn in each panel")
        seen = browser.run(figure + "return Array.from(svg.querySelectorAll('[data-values]'), path => getComputedStyle(path).stroke)")
        ground = browser.run("return getComputedStyle(document.body).backgroundColor")
        expect(seen and ground not in seen, f"{where}: curves stand out from the page")
        browser.shot(shots / f"{name}-{width}-over-time.png")
    browser.size(1400, 1000)
    browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"media": "print"}})
    browser.open(page)
    paper = browser.run(figure + "return [getComputedStyle(document.body).backgroundColor, box.width > 250, getComputedStyle(figure).breakInside]")
    ink = browser.run(figure + "return Array.from(svg.querySelectorAll('text'), text => getComputedStyle(text).fill)")
    dark = all(sum(int(part) for part in fill[4:-1].split(",")) < 400 for fill in ink)
    expect(paper == ["rgb(255, 255, 255)", True, "avoid"] and dark, f"{name}: on paper the chart is whole and dark on white")
    browser.shot(shots / f"{name}-print-over-time.png")
    browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"media": ""}})
    expect(not browser.messages(), f"{name}: values over time: the console is empty")


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
        series = generate(folder, "--name", "series", "--report",
                          ROOT / "tests/fixtures/collected/pair_potential/profile.ncu-repz")
        mended = generate(folder, "--name", "mended", "--report",
                          ROOT / "tests/fixtures/collected/pair_potential_longest_first/profile.ncu-repz", "--baseline",
                          ROOT / "tests/fixtures/collected/pair_potential/profile.ncu-repz")
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
                over_time(browser, series, shots, f"{name}, one side", 1)
                over_time(browser, mended, shots, f"{name}, old above new", 2)
                if not dark:
                    browser.open(bad)
                    state = browser.run("""return [typeof window.planted, document.scripts.length,
                        document.querySelectorAll('img, [onload], [onerror], [onclick]').length,
                        document.body.textContent.includes('<svg onload=plant()>'),
                        document.body.textContent.includes('<script>window.planted=1</script>'),
                        document.body.textContent.includes('<img src=x onerror=plant()>')]""")
                    expect(state == ["undefined", 1, 0, True, True, True], f"planted markup stays text: {state}")
                    expect(not browser.messages(), "planted markup: the console is empty")
                browser.close()
        finally:
            driver.terminate()
            driver.wait()
    print("all checks passed")


if __name__ == "__main__":
    main()
