"use strict";
const root = document.documentElement;
root.classList.add("js");

function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

// Light or dark: the system's choice until the reader makes one.
const theme = element("button", "Light or dark", "theme");
theme.addEventListener("click", () => {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  root.dataset.theme = (root.dataset.theme ?? system) === "dark" ? "light" : "dark";
});
document.querySelector("header").prepend(theme);

// A link to commands opens them.
for (const link of document.querySelectorAll(".note a, .command a")) {
  link.addEventListener("click", () => {
    document.getElementById(link.hash.slice(1)).closest("details").open = true;
  });
}

// Allocators that are not chosen: their rows, lines and points by class, their columns by number.
const rules = document.createElement("style");
document.head.append(rules);
const boxes = [...document.querySelectorAll("input.filter")];
function filter() {
  const hidden = boxes.filter((box) => !box.checked).map((box) => box.value);
  const columns = [...document.querySelectorAll("table.cases")].flatMap((table, place) => {
    table.dataset.place = place;
    const heads = [...table.tHead.rows[0].cells];
    return hidden
      .map((number) => heads.findIndex((head) => head.classList.contains("k" + number)) + 1)
      .filter((column) => column > 0)
      .map((column) => `table[data-place="${place}"] tr > :nth-child(${column})`);
  });
  const all = hidden.map((number) => ".r" + number).concat(columns);
  rules.textContent = all.length === 0 ? "" : all.join(",") + "{display:none}";
  // The strips of a case are one path, whose parts begin at the numbers of their rows.
  for (const strips of document.querySelectorAll(".strips")) {
    const rows = strips.dataset.numbers.split(" ").map((number) => hidden.includes(number));
    for (const path of strips.querySelectorAll("path")) {
      path.dataset.all ??= path.getAttribute("d");
      const parts = path.dataset.all.split(/(?=M)/);
      const row = (part) => /,(\d+)h/.exec(part)?.[1];
      path.setAttribute("d", parts.filter((part) => !rows[row(part)]).join(""));
    }
  }
}
for (const box of boxes) {
  box.addEventListener("change", filter);
  // The names of lines, which are numbers in the page.
  for (const line of document.querySelectorAll(`.charts .lines .r${box.value}`)) {
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = box.parentElement.textContent;
    line.append(title);
  }
}

function button(text, className, action) {
  const made = element("button", text, className);
  made.type = "button";
  made.addEventListener("click", action);
  return made;
}
const filters = document.getElementById("filters");
if (filters !== null) {
  for (const family of filters.querySelectorAll("fieldset")) {
    const own = [...family.querySelectorAll("input")];
    const name = family.querySelector("legend").textContent;
    const switched = button(name, "family", () => {
      const checked = !own.every((box) => box.checked);
      for (const box of own) box.checked = checked;
      filter();
    });
    family.querySelector("legend").replaceChildren(switched);
  }
  // Kinds of work.
  const works = element("fieldset", "", "choice");
  works.append(element("legend", "work", ""));
  for (const section of document.querySelectorAll("section.work")) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => { section.hidden = !box.checked; });
    label.append(box, section.dataset.work);
    works.append(label);
  }
  filters.append(works);
}

// The number at the beginning of a cell; others come last.
function key(cell) {
  const text = (cell?.textContent ?? "").trim();
  const units = { K: 1e3, M: 1e6, G: 1e9 };
  const found = /^(-?[\d.]+)(?: ([KMG])\b)?/.exec(text);
  return found === null ? [1, 0, text] : [0, found[1] * (units[found[2]] ?? 1), text];
}
function compare(one, other) {
  return one[0] - other[0] || one[1] - other[1] || one[2].localeCompare(other[2]);
}
for (const table of document.querySelectorAll("table")) {
  // Sort by a column, and the other way round at the second time.
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const text = head.textContent;
    head.replaceChildren(button(text, "sort", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows].map((row) => [key(row.cells[column]), row]);
      rows.sort((one, other) => compare(one[0], other[0]) * (up ? 1 : -1));
      table.tBodies[0].append(...rows.map((pair) => pair[1]));
    }));
  });
  // Copy what is shown as CSV.
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const copy = button("Copy as CSV", "copy", async () => {
    const shown = (cell) => getComputedStyle(cell).display !== "none";
    const lines = [...table.rows].filter(shown).map((row) =>
      [...row.cells].filter(shown).map((cell) => quoted(cell.textContent.trim())).join(","));
    try {
      await navigator.clipboard.writeText(lines.join("\n") + "\n");
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "The browser refuses: select the table";
    }
    setTimeout(() => { copy.textContent = "Copy as CSV"; }, 2000);
  });
  table.parentElement.before(copy);
}
