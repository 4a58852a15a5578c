#!/usr/bin/env python3
"""Reads Markdown with cmark-gfm, the parser that GitHub's grammar is written for, and checks that tables, folds, headings,
verbatim text and images come out: what pulldown-cmark reads in the gate, another parser has to read as well.

Usage: tests/github.py [FILE...]   [default: every audit, and every page of the documentation]
Needs cmark-gfm (Debian: cmark-gfm). Run it after a change to report-templates/*.md.hbs or src/view/escape.rs.
"""

import html.parser
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink", "-e", "tagfilter",
           "-e", "tasklist", "-e", "footnotes"]


class Page(html.parser.HTMLParser):
    """What a reader of the page sees."""

    def __init__(self):
        super().__init__()
        self.tables, self.headings, self.images, self.links = [], [], [], []
        self.folds = self.open_folds = self.code = 0
        self.summary_without_fold = False
        self.text = None
        self.prose = []
        self.verbatim = 0

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.text = []
        elif re.fullmatch("h[1-6]", tag):
            self.text = []
        elif tag == "details":
            self.folds += 1
            self.open_folds += 1
        elif tag == "summary":
            self.summary_without_fold |= self.open_folds == 0
        elif tag == "img":
            self.images.append((given.get("src") or "", given.get("alt") or ""))
        elif tag == "a":
            self.links.append(given.get("href") or "")
        if tag in ("pre", "code"):
            self.verbatim += 1
            self.code += tag == "pre"

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append("".join(self.text))
            self.text = None
        elif re.fullmatch("h[1-6]", tag):
            self.headings.append("".join(self.text))
            self.text = None
        elif tag == "details":
            self.open_folds -= 1
        elif tag in ("pre", "code"):
            self.verbatim -= 1

    def handle_data(self, data):
        if self.text is not None:
            self.text.append(data)
        if not self.verbatim:
            self.prose.append(data)


def stated(text):
    """What the source states: (columns, rows) of each table, headings, folds, fences, images."""
    tables, headings, folds, fences, images = [], 0, 0, 0, 0
    fence, rows = None, 0
    lines = [line.removeprefix("> ").removeprefix(">") for line in text.split("\n")]
    for at, line in enumerate(lines):
        opened = re.match(r"\s*(?:[-*]|\d+\.)?\s*(`{3,})", line)
        if fence:
            if line.strip() == fence:
                fence = None
            continue
        if opened and "`" not in line.strip().lstrip("-*0123456789. `"):
            fence = opened.group(1)
            fences += 1
            continue
        if re.fullmatch(r"\|(?: ?:?-+:? ?\|)+", line):
            columns = line.count("|") - 1
            rows = next((n for n, row in enumerate(lines[at + 1:]) if not row.startswith("|")), 0)
            tables.append((columns, rows + 1))
        # An indented block stands after an empty line; lists of the pages are not indented that far.
        indented = line.startswith("    ") and line.strip() and not (at and lines[at - 1].startswith("    "))
        fences += bool(indented and at and not lines[at - 1].strip())
        headings += bool(re.match("#{1,6} ", line))
        folds += line.startswith("<details>")
        images += bool(re.match(r"!\[", line))
    return tables, headings, folds, fences, images


def check(path):
    text = path.read_text()
    made = subprocess.run(COMMAND, input=text, capture_output=True, text=True, check=True).stdout
    page = Page()
    page.feed(made)
    faults = []
    tables, headings, folds, fences, images = stated(text)
    found = [(len(table[0]), len(table)) for table in page.tables]
    if found != tables:
        faults.append(f"tables (columns, rows): stated {tables}, read {found}")
    for table in page.tables:
        if any(len(row) != len(table[0]) for row in table):
            faults.append(f"a table under {table[0]} has rows of other lengths")
    for what, one, other in (("headings", headings, len(page.headings)), ("folds", folds, page.folds),
                             ("verbatim blocks", fences, page.code)):
        if one != other:
            faults.append(f"{what}: stated {one}, read {other}")
    if page.open_folds or page.summary_without_fold:
        faults.append("folds do not close where they should")
    if images > len(page.images):
        faults.append(f"images: stated {images}, read {len(page.images)}")
    for source, words in page.images:
        if not source.startswith("http") and not (path.parent / source).is_file():
            faults.append(f"the image {source} is not there")
        if not words.strip():
            faults.append(f"the image {source} has no text alternative")
    loose = re.findall(r"\*\*|</?[a-z]+>", "".join(page.prose))
    if loose:
        faults.append(f"markup that stayed text: {sorted(set(loose))}")
    return faults, len(tables), len(page.images)


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:]]
    files = files or sorted([*ROOT.glob("*.md"), *ROOT.glob("audits/*.md"), *ROOT.glob("kernels/**/audits/*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("kernels/*.md")])
    bad, tables, images = 0, 0, 0
    for path in files:
        faults, some, pictures = check(path)
        tables, images = tables + some, images + pictures
        for fault in faults:
            bad += 1
            print(f"{path}: {fault}")
    print(f"{len(files)} pages, {tables} tables, {images} images: {bad or 'no'} faults")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
