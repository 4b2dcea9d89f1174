// The numbers beside the plot: quantities of the beam, or statistics of columns, and attributes of the step.

import { ask, compute } from "./api.js";
import { files, request, sources, table } from "./files.js";
import { colourOf } from "./palettes.js";
import { change } from "./state.js";
import { marked } from "./marks.js";
import { withUnit } from "./units.js";

const FIRST = ["particles", "lost", "charge", "mean_energy", "energy_spread", "sigma_x", "sigma_y", "sigma_z", "sigma_t",
  "emittance_nx", "emittance_ny", "emittance_nz", "beta_x", "alpha_x", "beta_y", "alpha_y", "peak_current", "halo_x", "halo_y"];
const MOST_FILES = 3;

const place = document.getElementById("beam");
const filter = document.getElementById("filter");
let found = [];

filter.addEventListener("input", draw);

/** Show the numbers of the step and the cut, for each file. */
export async function refresh(shell) {
  const shown = sources().slice(0, MOST_FILES);
  const body = request();
  const fresh = new Array(shown.length).fill(null);
  const results = await Promise.all(shown.map((source, index) =>
    compute(`beam-${index}`, "quantities", { ...body, sources: [source] }, (one) => {
      if (one.kind === "quantities") fresh[index] = one;
    }).catch((problem) => {
      fresh[index] = { file: source.file, title: "Numbers", quantities: [], warnings: [], error: problem.message };
      return true;
    })));
  if (results.every(Boolean)) {
    found = fresh.filter(Boolean);
    draw();
  }
  await refreshAttributes(shell, shown);
}

function draw() {
  place.replaceChildren();
  if (!found.length) return;
  document.getElementById("beam-title").textContent = found[0].isBeam ? "Beam" : "Statistics";
  for (const one of found) {
    if (one.error) remark("warning", one.error.split("\n")[0]);
    for (const text of one.warnings) remark("warning", text);
  }
  const wanted = filter.value.trim().toLowerCase();
  const byName = found.map((one) => new Map(one.quantities.map((quantity) => [quantity.name, quantity])));
  const names = [...new Set(found.flatMap((one) => one.quantities.map((quantity) => quantity.name)))];
  const first = found[0].isBeam ? FIRST.filter((name) => names.includes(name)) : names;
  const shown = wanted ? names.filter((name) => name.toLowerCase().includes(wanted)) : first;
  const grid = document.createElement("table");
  grid.classList.toggle("many", found.length > 1);
  if (found.length > 1) {
    const head = grid.createTHead().insertRow();
    for (const [index, text] of ["", ...found.map((one) => files[one.file].label)].entries()) {
      const made = document.createElement("th");
      made.textContent = text;
      made.title = text;
      if (index) {
        made.style.color = colourOf(found[index - 1].file);
      }
      head.append(made);
    }
  }
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
    for (const one of byName) {
      const quantity = one.get(name);
      const parts = quantity ? withUnit(quantity.value, quantity.unit, found.length > 1 ? 4 : 5) : ["–", ""];
      const cell = addNumber(row, parts);
      if (quantity) cell.title = `${quantity.value ?? quantity.text} ${marked(quantity.unit)}`.trim();
    }
  }
  place.append(grid);
  if (!wanted && found[0].isBeam) remark("remark", `${names.length} quantities: find others by name. Click one to follow it along the run.`);
  if (found[0].reason) remark("remark", `No beam quantities: ${found[0].reason}`);
}

/** Add a cell with a number and its unit. */
function addNumber(row, [value, unit]) {
  const cell = row.insertCell();
  cell.textContent = unit ? `${value}\u2009` : value;
  cell.classList.toggle("no", value === "–");
  const made = document.createElement("small");
  made.textContent = unit;
  cell.append(made);
  return cell;
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
  const names = [...new Set(steps.flatMap((step) => step?.attributes.map((one) => one.name) ?? []))];
  for (const name of names) {
    const row = grid.insertRow();
    const items = steps.map((step) => step?.attributes.find((one) => one.name === name));
    const known = items.find(Boolean);
    row.title = known.description;
    row.insertCell().textContent = name;
    for (const item of items) {
      addNumber(row, item?.isNumber ? withUnit(Number(item.value), item.unit) : [item?.value ?? "–", marked(item?.unit ?? "")]);
    }
  }
  document.getElementById("attributes-of-step").replaceChildren(grid);
  const rows = steps[0]?.tables.find((one) => one.name === table().name)?.rows;
  shell.stepIs(steps[0], rows);
}

