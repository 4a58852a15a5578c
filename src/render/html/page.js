"use strict";
// Tables sort by a click on a header: numbers by their key, words by the alphabet, and back to the given order.
for (const table of document.querySelectorAll("table.grid")) {
  const body = table.tBodies[0];
  if (!body || body.rows.length < 2) continue;
  const given = Array.from(body.rows);
  table.querySelectorAll("thead th").forEach((head, column) => {
    if (!head.textContent) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const isNumber = head.classList.contains("number");
      const first = isNumber ? "descending" : "ascending";
      const second = isNumber ? "ascending" : "descending";
      const now = head.getAttribute("aria-sort");
      const next = now === null ? first : now === first ? second : null;
      for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
      let rows = given.slice();
      if (next !== null) {
        head.setAttribute("aria-sort", next);
        const sign = next === "ascending" ? 1 : -1;
        const key = (row) => row.cells[column].dataset.key;
        rows.sort((a, b) => {
          if (!isNumber) return sign * a.cells[column].textContent.localeCompare(b.cells[column].textContent);
          if (key(a) === "" || key(b) === "") return (key(a) === "") - (key(b) === "");
          return sign * (Number(key(a)) - Number(key(b)));
        });
      }
      body.append(...rows);
    });
  });
}
// On a phone each action is a card, whose cells say of which column they are.
for (const row of document.querySelectorAll("[data-table=next] tbody tr")) {
  const heads = row.closest("table").tHead.rows[0].cells;
  for (const cell of row.cells) cell.dataset.head = heads[cell.cellIndex].textContent;
}
// A button of the page's own.
const press = (label, act) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = label;
  button.addEventListener("click", () => act(button));
  return button;
};
// Each table can be copied, and saved as CSV, of a filtered one the rows that are shown; a spreadsheet takes no cell for a formula.
for (const table of document.querySelectorAll("table.grid, table.lines")) {
  const written = (separator, cell) =>
    Array.from(table.rows)
      .filter((row) => !row.hidden)
      .map((row) => Array.from(row.cells, (one) => cell(one.textContent)).join(separator))
      .join("\n");
  const quoted = (text) =>
    `"${(/^[=+@\t-]/.test(text) ? "'" : "") + text.replaceAll("\u00a0", " ").replaceAll('"', '""')}"`;
  const tools = document.createElement("div");
  tools.className = "tools";
  if (navigator.clipboard) {
    const copied = (button, word) => {
      button.textContent = word;
      setTimeout(() => (button.textContent = "Copy"), 2000);
    };
    tools.append(
      press("Copy", (button) =>
        navigator.clipboard
          .writeText(written("\t", (text) => text.replace(/\s+/g, " ")))
          .then(() => copied(button, "Copied"), () => copied(button, "Not allowed")),
      ),
    );
  }
  tools.append(
    press("CSV", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob(["\ufeff" + written(",", quoted)], { type: "text/csv" }));
      link.download = `${table.dataset.table}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }),
  );
  // Of a pane with several tables each has its own.
  if (table.matches(".lines")) {
    tools.classList.add("shown");
    table.before(tools);
  } else table.parentElement.before(tools);
}
// A line of source and its instructions are picked together, by a click or by the arrow keys.
const rows = Array.from(document.querySelectorAll(".lines tr[data-line]"));
const pick = (row) => {
  const pane = row.closest(".pane");
  let shown = false;
  for (const other of rows) {
    const isSame = other.dataset.line !== "" && other.dataset.line === row.dataset.line;
    other.classList.toggle("on", isSame || other === row);
    other.classList.toggle("at", other === row);
    const otherPane = other.closest(".pane");
    if (isSame && !shown && !other.hidden && otherPane !== pane) {
      otherPane.scrollTop = other.offsetTop - otherPane.clientHeight / 3;
      shown = true;
    }
  }
};
const reveal = (row) => {
  const pane = row.closest(".pane");
  const above = row.closest("table").tHead.offsetHeight;
  if (row.offsetTop < pane.scrollTop + above || row.offsetTop + row.offsetHeight > pane.scrollTop + pane.clientHeight)
    pane.scrollTop = row.offsetTop - pane.clientHeight / 3;
};
for (const row of rows) row.addEventListener("click", () => pick(row));
for (const pane of document.querySelectorAll(".pane")) {
  pane.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const own = rows.filter((row) => pane.contains(row) && !row.hidden);
    const at = Math.max(own.findIndex((row) => row.classList.contains("at")), own.findIndex((row) => row.classList.contains("on")));
    const row = own[Math.min(own.length - 1, Math.max(0, at < 0 ? 0 : at + step))];
    if (!row) return;
    pick(row);
    reveal(row);
  });
}
// The source view: which count the colours show, the rows that hold some text, and the row with the highest count.
const panes = document.querySelector(".panes");
if (panes && rows.length) {
  const counts = new Map(
    rows.map((row) => {
      const pairs = row.dataset.counts.split(";").filter(Boolean);
      return [row, new Map(pairs.map((pair) => [pair.slice(0, pair.lastIndexOf(" ")), Number(pair.slice(pair.lastIndexOf(" "))) ]))];
    }),
  );
  const columns = ["Samples", "Executed", "Sectors", "Excess"];
  const found = new Set(Array.from(counts.values()).flatMap((own) => Array.from(own.keys())));
  const names = [...columns.filter((name) => found.has(name)), ...Array.from(found).filter((name) => !columns.includes(name)).sort()];
  const metric = document.createElement("select");
  metric.setAttribute("aria-label", "Count that the colours show");
  for (const name of names) metric.append(new Option(columns.includes(name) ? name : `Waits: ${name}`, name));
  const filter = document.createElement("input");
  filter.type = "search";
  filter.placeholder = "Filter lines and instructions";
  filter.setAttribute("aria-label", filter.placeholder);
  const of = (row) => counts.get(row).get(metric.value) ?? 0;
  const colour = () => {
    for (const pane of panes.querySelectorAll(".pane")) {
      const own = rows.filter((row) => pane.contains(row));
      const most = Math.max(1, ...own.map(of));
      for (const row of own) {
        const heads = Array.from(row.closest("table").tHead.rows[0].cells, (head) => head.textContent);
        const shown = columns.includes(metric.value) ? metric.value : "Waits for";
        Array.from(row.cells).forEach((cell, at) => {
          if (cell.classList.contains("old")) return;
          cell.classList.remove(...Array.from({ length: 10 }, (_, level) => `h${level}`));
          if (heads[at] === shown && of(row) > 0) cell.classList.add(`h${Math.floor((9 * of(row)) / most)}`);
        });
      }
    }
  };
  metric.addEventListener("change", colour);
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(words);
  });
  const hottest = press("Hottest", () => {
    for (const pane of Array.from(panes.querySelectorAll(".pane")).reverse()) {
      const own = rows.filter((row) => pane.contains(row) && !row.hidden && of(row) > 0);
      const row = own.reduce((most, other) => (!most || of(other) > of(most) ? other : most), null);
      if (!row) continue;
      pick(row);
      reveal(row);
    }
  });
  const tools = document.createElement("div");
  tools.className = "tools shown";
  tools.append(metric, hottest, filter);
  panes.before(tools);
}
// Levels over time say their values under the pointer, and under a cursor that the arrow keys move.
for (const figure of document.querySelectorAll("figure.over-time")) {
  const svg = figure.querySelector("svg");
  const output = figure.querySelector("output");
  const panels = Array.from(svg.querySelectorAll(".chart-panel"), (group) => {
    const [left, right, above, below] = group.dataset.place.split(" ").map(Number);
    const levels = Array.from(group.querySelectorAll("[data-values]"), (path) => ({
      name: path.dataset.name,
      points: path.dataset.values.split(" "),
    })).reverse();
    const cursor = document.createElementNS("http://www.w3.org/2000/svg", "path");
    cursor.setAttribute("class", "chart-cursor");
    group.append(cursor);
    return { left, right, above, below, levels, cursor, end: Number(group.dataset.end), unit: group.dataset.unit };
  });
  let at = 0;
  const show = (share) => {
    at = Math.min(1, Math.max(0, share));
    const widest = Math.max(...panels.map((panel) => panel.right));
    const parts = panels.map((panel) => {
      const x = panel.left + at * (widest - panel.left);
      const own = (x - panel.left) / (panel.right - panel.left);
      panel.cursor.setAttribute("d", own > 1 ? "" : `M${x} ${panel.above}V${panel.below}`);
      if (own > 1) return "ended";
      const values = panel.levels.map((level) => {
        const n = Math.min(level.points.length - 1, Math.floor(own * level.points.length));
        return `${level.name} ${level.points[n]} %`;
      });
      return `${(own * panel.end).toPrecision(3)} ${panel.unit}: ${values.join(", ")}`;
    });
    output.textContent = parts.join(" | ");
  };
  const point = (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
    const { left } = panels[0];
    show((x - left) / (Math.max(...panels.map((panel) => panel.right)) - left));
  };
  svg.addEventListener("pointermove", point);
  // A finger that taps does not move.
  svg.addEventListener("pointerdown", point);
  figure.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const count = Math.max(...panels.flatMap((panel) => panel.levels.map((level) => level.points.length)));
    show(at + step / count);
  });
}
// A link to a section that is closed opens it.
const open = () => {
  const fold = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.querySelector("details.part");
  if (fold) fold.open = true;
};
addEventListener("hashchange", open);
open();
