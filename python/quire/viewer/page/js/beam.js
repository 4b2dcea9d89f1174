// The numbers beside the plot: quantities of the beam, or statistics of columns, and attributes of the step.

import { ask, compute } from "./api.js";
import { files, request, sources, stepped } from "./files.js";
import { showCounts } from "./followed.js";
import { colourOf } from "./palettes.js";
import { change } from "./state.js";
import { marked } from "./marks.js";
import { digits, withOneUnit, written } from "./units.js";

const FIRST = ["particles", "lost", "charge", "mean_energy", "energy_spread", "sigma_x", "sigma_y", "sigma_z", "sigma_t",
  "emittance_nx", "emittance_ny", "emittance_nz", "beta_x", "alpha_x", "beta_y", "alpha_y", "peak_current", "halo_x", "halo_y"];
const MOST_FILES = 3;
const SAME = 1e-6;
// Digits of a number, and letters that its cell has room for, with one, two and three files.
const ROOMS = [[5, 12], [4, 8], [4, 7]];

const place = document.getElementById("beam");
const filter = document.getElementById("filter");
let answers = [];

filter.addEventListener("input", draw);

/** Show the numbers of the step and the cut, for each file. */
export async function refresh(shell) {
  const shown = sources().slice(0, MOST_FILES);
  const body = request();
  const fresh = new Array(shown.length).fill(null);
  const results = await Promise.all(shown.map((source, index) =>
    compute(`beam-${index}`, "quantities", { ...body, sources: [source], unitsOf: sources()[0] }, (one) => {
      if (one.kind === "progress") isComputed();
      if (one.kind === "quantities") fresh[index] = one;
    }).catch((problem) => {
      fresh[index] = { file: source.file, title: "Numbers", quantities: [], warnings: [], error: problem.message };
      return true;
    })));
  if (results.every(Boolean)) {
    answers = fresh.filter(Boolean);
    draw();
    showCounts(answers);
  }
  await refreshAttributes(shell, shown);
}

/** Show that the numbers are those of what was shown before. */
function isComputed() {
  document.getElementById("beam-title").textContent = "computing …";
  place.classList.add("stale");
}

function draw() {
  place.classList.remove("stale");
  place.replaceChildren();
  if (!answers.length) return;
  // Beside particles there are no statistics of other tables.
  const found = answers.some((one) => one.isBeam) ? answers.filter((one) => one.isBeam) : answers;
  document.getElementById("beam-title").textContent = found[0].isBeam ? "Beam" : "Statistics";
  for (const one of answers) {
    if (one.error) remark("warning", one.error.split("\n")[0]);
    for (const text of one.warnings) remark("warning", text);
  }
  const wanted = filter.value.trim().toLowerCase();
  const byName = found.map((one) => new Map(one.quantities.map((quantity) => [quantity.name, quantity])));
  const names = [...new Set(found.flatMap((one) => one.quantities.map((quantity) => quantity.name)))];
  const first = found[0].isBeam ? FIRST.filter((name) => names.includes(name)) : names.filter((name) => /^(mean|sigma)_/.test(name));
  const shown = wanted ? names.filter((name) => name.toLowerCase().includes(wanted)) : first;
  const grid = document.createElement("table");
  // Of one file the quantities that it stores are beside those that are computed; of several there are marks.
  const hasStored = found.length === 1 && shown.some((name) => byName[0].get(name).stored);
  const heads = hasStored ? [{ text: "Quire", title: "computed from the particles" }, { text: "file", title: "stored by the program that wrote the file" }]
    : found.map((one) => ({ text: files[one.file].label, colour: colourOf(one.file) }));
  grid.classList.toggle("many", heads.length > 1);
  if (heads.length > 1) addHead(grid, heads);
  document.querySelector("main").classList.toggle("many", found.length > 2);
  const body = grid.createTBody();
  for (const name of shown) {
    const row = body.insertRow();
    const known = byName.map((one) => one.get(name)).find(Boolean);
    row.title = known.text;
    const button = document.createElement("button");
    button.className = "name";
    button.textContent = name;
    if (found[0].isBeam) button.addEventListener("click", () => change({ view: "run", ys: [name], zoom: null }));
    row.insertCell().append(button);
    const quantities = byName.map((one) => one.get(name));
    if (hasStored) {
      const [one] = quantities;
      const [computed, stored] = addNumbers(row, [one, one.stored && { ...one, value: one.stored.value }]);
      computed.title = exact(one);
      if (one.stored) compare(stored, one); else stored.textContent = "";
    } else {
      addNumbers(row, quantities).forEach((cell, index) => {
        const quantity = quantities[index];
        cell.title = quantity ? exact(quantity) : "";
        if (quantity?.stored) compare(cell, quantity);
      });
    }
  }
  place.append(grid);
  const hint = found[0].isBeam ? " Click one to draw it along the run." : "";
  if (!wanted && names.length > first.length) remark("remark", `${names.length} quantities: find others by name.${hint}`);
  if (found[0].reason) remark("remark", `No beam quantities: ${found[0].reason}`);
}

function addHead(grid, heads) {
  const head = grid.createTHead().insertRow();
  for (const { text, colour, title } of [{ text: "" }, ...heads, { text: "" }]) {
    const made = document.createElement("th");
    made.textContent = text;
    made.title = title ?? text;
    if (colour) made.style.color = colour;
    head.append(made);
  }
}

function exact(quantity) {
  return `${quantity.value ?? quantity.text} ${marked(quantity.unit)}`.trim();
}

/** Mark a cell by whether the stored quantity is the computed one, and say so in its title. */
function compare(cell, { name, value, unit, stored }) {
  const differs = stored.difference === null || stored.difference > SAME;
  cell.classList.add(differs ? "differs" : "same");
  const by = differs ? `differs by ${digits(stored.difference, 3)} relative, from ${name} = ${value}` : "is the same within 1e-6";
  cell.title = `${stored.place} of the file, ${stored.value} ${marked(unit)}, ${by}`;
}

/**
 * Add cells with one quantity of each file: a single one with its unit, several with a last cell for it. Those
 * with different units have each its own.
 */
function addNumbers(row, quantities) {
  const values = quantities.map((one) => (one ? numberOf(one.value) : null));
  const units = new Set(quantities.filter(Boolean).map((one) => one.unit));
  const [texts, shown] = units.size === 1
    ? withOneUnit(values, [...units][0], ...ROOMS[values.length - 1])
    : [values.map((value, index) => written(value, quantities[index]?.unit ?? "", 3)), ""];
  const cells = texts.map((text) => {
    const cell = row.insertCell();
    cell.textContent = text;
    cell.classList.toggle("no", text === "–");
    return cell;
  });
  const place = values.length > 1 ? row.insertCell() : cells[0];
  const made = document.createElement("small");
  made.textContent = values.length > 1 || !shown ? shown : `\u2009${shown}`;
  place.append(made);
  return cells;
}

function numberOf(value) {
  return value === null || value === undefined ? null : Number(value);
}

function remark(kind, text) {
  const made = document.createElement("p");
  made.className = kind;
  made.textContent = text;
  made.style.margin = "4px 0";
  place.append(made);
}

async function refreshAttributes(shell, shown) {
  const steps = await Promise.all(shown.map((source) => ask("step", { sources: [source] }).catch(() => null)));
  const grid = document.createElement("table");
  grid.classList.toggle("many", steps.length > 1);
  const names = [...new Set(steps.flatMap((step) => step?.attributes.map((one) => one.name) ?? []))];
  for (const name of names) {
    const row = grid.insertRow();
    const items = steps.map((step) => step?.attributes.find((one) => one.name === name));
    const known = items.find(Boolean);
    row.title = known.description;
    row.insertCell().textContent = name;
    if (items.every((item) => !item || item.isNumber)) {
      addNumbers(row, items);
    } else {
      for (const item of items) row.insertCell().textContent = item?.value ?? "–";
    }
  }
  document.getElementById("attributes-of-step").replaceChildren(grid);
  const place = shown.findIndex((source) => source.file === stepped()?.file);
  shell.stepIs(steps[place]);
}

