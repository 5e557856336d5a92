// Checks of a page in a browser: errors of scripts, contrast, names of pictures, width, sorting,
// copies and filters. The outcome goes to the parent as a list of lines; empty if all is well.
"use strict";
const faults = [];
window.addEventListener("error", (event) => faults.push("error: " + event.message));
const complain = console.error;
console.error = (...what) => { faults.push("console: " + what.join(" ")); complain(...what); };

function channels(colour) {
  const found = /rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)/.exec(colour);
  return found === null ? null : found.slice(1).map((part) => (part === undefined ? 1 : Number(part)));
}
// Relative luminance, and the contrast of two colours (WCAG 2.1).
function luminance([red, green, blue]) {
  const linear = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
function background(element) {
  for (let at = element; at !== null; at = at.parentElement) {
    const found = channels(getComputedStyle(at).backgroundColor);
    if (found !== null && found[3] === 1) return found;
  }
  return [255, 255, 255, 1];
}
function check_contrast(theme) {
  document.documentElement.dataset.theme = theme;
  const seen = new Set();
  for (const element of document.body.querySelectorAll("*")) {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
    if (!text || ["SCRIPT", "STYLE", "title"].includes(element.tagName)) continue;
    const style = getComputedStyle(element);
    const colour = channels(element instanceof SVGElement ? style.fill : style.color);
    const ratio = contrast(colour, background(element));
    const place = `${theme} ${element.tagName} ${element.getAttribute("class") ?? ""}`;
    if (ratio < 4.5 && !seen.has(place)) {
      seen.add(place);
      faults.push(`contrast ${ratio.toFixed(2)}: ${place}: ${element.textContent.slice(0, 30)}`);
    }
  }
}
function check_names() {
  for (const image of document.querySelectorAll("img")) {
    if ((image.alt ?? "") === "") faults.push("an image has no alternative text");
  }
  for (const picture of document.querySelectorAll("svg:not(svg svg)")) {
    const named = picture.getAttribute("role") === "img" && (picture.getAttribute("aria-label") ?? "") !== "";
    if (!named && picture.getAttribute("aria-hidden") !== "true") faults.push("a chart has no name");
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) faults.push("an id stands twice");
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    if (document.getElementById(link.hash.slice(1)) === null) faults.push("no target: " + link.hash);
  }
}
function check_width() {
  const root = document.scrollingElement;
  if (root.scrollWidth > root.clientWidth + 1) {
    const wide = [...document.body.querySelectorAll("*")].filter((element) =>
      element.parentElement.closest(".scroll, pre, svg") === null && element.getBoundingClientRect().right > root.clientWidth + 1);
    const names = wide.slice(0, 3).map((element) => element.tagName + "." + element.className);
    faults.push(`wider than the window: ${root.scrollWidth} of ${root.clientWidth}: ${names.join(" ")}`);
  }
  for (const name of document.querySelectorAll("table.cases tbody tr:first-child th")) {
    const width = name.getBoundingClientRect().width;
    if (width < 120) faults.push(`names of cases have ${width} pixels`);
  }
}
function check_controls() {
  const table = document.querySelector("table.cases");
  const column = [...table.tHead.rows[0].cells].findIndex((cell) => /^k\d/.test(cell.className));
  const values = () => [...table.tBodies[0].rows].map((row) => parseFloat(row.cells[column].textContent))
    .filter((value) => !Number.isNaN(value));
  const sort = table.tHead.rows[0].cells[column].querySelector("button");
  const ordered = (list, sign) => list.every((value, place) => place === 0 || sign * (value - list[place - 1]) >= 0);
  sort.click();
  if (!ordered(values(), 1)) faults.push("not sorted upwards: " + values());
  sort.click();
  if (!ordered(values(), -1)) faults.push("not sorted downwards: " + values());
  const number = /^k(\d+)/.exec(table.tHead.rows[0].cells[column].className)[1];
  const box = document.querySelector(`input.filter[value="${number}"]`);
  const shown = () => getComputedStyle(table.rows[1].cells[column]).display !== "none";
  const strips = () => document.querySelector(".strips path")?.getAttribute("d");
  const before = strips();
  box.click();
  if (shown()) faults.push("a filter hides no column");
  box.click();
  if (!shown()) faults.push("a filter does not show its column again");
  if (strips() !== before) faults.push("a filter does not show its strips again");
  if (document.querySelector(".copy") === null) faults.push("no table can be copied");
}

window.addEventListener("load", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  const checks = [check_names, check_width, check_controls, () => check_contrast("light"), () => check_contrast("dark")];
  for (const check of checks) {
    try { check(); } catch (error) { faults.push(`${check.name}: ${error}`); }
  }
  parent.postMessage(faults, "*");
});
