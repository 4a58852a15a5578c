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
// A line of source and its instructions are picked together.
const rows = Array.from(document.querySelectorAll(".lines tr[data-line]"));
for (const row of rows) {
  row.addEventListener("click", () => {
    const pane = row.closest(".pane");
    let shown = false;
    for (const other of rows) {
      const isSame = other.dataset.line !== "" && other.dataset.line === row.dataset.line;
      other.classList.toggle("on", isSame || other === row);
      const otherPane = other.closest(".pane");
      if (isSame && !shown && otherPane !== pane) {
        otherPane.scrollTop = other.offsetTop - otherPane.clientHeight / 3;
        shown = true;
      }
    }
  });
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
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
    const { left } = panels[0];
    show((x - left) / (Math.max(...panels.map((panel) => panel.right)) - left));
  });
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
