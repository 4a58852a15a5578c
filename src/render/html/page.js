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
// A link to a section that is closed opens it.
const open = () => {
  const fold = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.querySelector("details.part");
  if (fold) fold.open = true;
};
addEventListener("hashchange", open);
open();
