// The controls on the left: files, axes, cut and look.

import { connectCuts, showCuts } from "./cuts.js";
import { attributes, chosen, columns, fieldNames, files, leader, shownFiles, table, view } from "./files.js";
import { showFollowed } from "./followed.js";
import { colourOf, PALETTES } from "./palettes.js";
import { marked } from "./marks.js";
import { change, state } from "./state.js";
import { grouped } from "./units.js";

const TICKS = ["ellipse", "contours", "overlay", "logy", "share", "points", "watch", "onlyFollowed", "cumulative", "fit", "onField", "withField"];
const element = (name) => document.getElementById(name);

/** Connect the controls. */
export function connect() {
  element("palette").replaceChildren(...PALETTES.map((name) => new Option(name, name)));
  for (const button of document.querySelectorAll("#views button")) {
    button.addEventListener("click", () => change({ view: button.dataset.view, zoom: null, row: 0 }));
  }
  for (const name of ["x", "y", "of", "along", "across", "weight", "bins", "thickness", "planes", "x3", "y3", "z3", "colour"]) {
    element(name).addEventListener("change", (event) => change({ [name]: event.target.value.trim(), ...(name === "bins" ? {} : { zoom: null }) }));
  }
  for (const name of ["ys", "up"]) element(name).addEventListener("change", (event) => change({ [name]: terms(event.target.value) }));
  element("table").addEventListener("change", (event) => change({ table: event.target.value, zoom: null, row: 0 }));
  element("swap").addEventListener("click", () =>
    change({ x: chosen.y(), y: chosen.x(), zoom: state.zoom ? [...state.zoom].reverse() : null }));
  for (const name of ["scale", "palette"]) element(name).addEventListener("change", (event) => change({ [name]: event.target.value }));
  for (const name of TICKS) {
    element(name).addEventListener("change", (event) => change({ [name]: event.target.checked }));
  }
  element("unzoom").addEventListener("click", () => change({ zoom: null, turn: null }));
  connectCuts();
}

/** Return the terms of a text with commas; those in brackets separate nothing. */
export function terms(text) {
  const found = [];
  let [depth, term] = [0, ""];
  for (const one of text) {
    depth += "([".includes(one) - ")]".includes(one);
    if (one === "," && depth === 0) {
      found.push(term);
      term = "";
    } else term += one;
  }
  return [...found, term].map((one) => one.trim()).filter(Boolean);
}

/** Show the list of files. */
export function showFiles() {
  const shown = new Set(shownFiles().map((one) => one.file));
  element("files").replaceChildren(...files.map((file) => {
    const label = document.createElement("label");
    label.className = file.error ? "file bad" : "file";
    label.title = file.error ?? file.path;
    const tick = document.createElement("input");
    tick.type = "checkbox";
    tick.checked = shown.has(file.file);
    tick.disabled = !file.numbers.length;
    tick.addEventListener("change", () => {
      const next = new Set(shown);
      if (tick.checked) next.add(file.file); else next.delete(file.file);
      change({ files: [...next].sort((a, b) => a - b) });
    });
    const swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.style.background = colourOf(file.file);
    const name = document.createElement("span");
    name.className = "name";
    name.textContent = file.label;
    const note = document.createElement("small");
    const steps = `${grouped(file.numbers.length)} step${file.numbers.length === 1 ? "" : "s"}`;
    note.textContent = file.error ?? `${steps}, ${grouped(file.first?.tables[0]?.rows ?? 0)} rows`;
    label.append(tick, swatch, name, note);
    return label;
  }));
}

/** Show the state in the controls. */
export function showControls(known) {
  for (const button of document.querySelectorAll("#views button")) {
    button.setAttribute("aria-selected", String(button.dataset.view === view()));
  }
  for (const one of document.querySelectorAll("[data-views]")) one.hidden = !one.dataset.views.split(" ").includes(view());
  for (const name of ["x", "y", "of", "along", "across"]) element(name).value = chosen[name]();
  for (const name of ["ys", "up"]) element(name).value = chosen[name]().join(", ");
  showFollowed();
  chosen.space().forEach((name, place) => { element(["x3", "y3", "z3"][place]).value = name; });
  for (const name of ["weight", "colour"]) element(name).value = state[name];
  element("bins").value = state.bins;
  element("thickness").value = state.thickness;
  const hasPlanes = view() === "space" && fieldNames().length > 0;
  element("field-section").hidden = view() !== "fields" && !hasPlanes;
  element("field-row").hidden = hasPlanes && !state.withField;
  element("planes-row").hidden = element("plane-sliders").hidden = !hasPlanes || !state.withField;
  if (hasPlanes && !state.withField) element("component-row").hidden = true;
  element("planes").value = state.planes;
  element("thickness-row").hidden = !state.onField || view() !== "fields";
  showCuts();
  for (const name of ["scale", "palette"]) element(name).value = state[name];
  for (const name of TICKS) element(name).checked = state[name];
  element("overlay-row").hidden = view() !== "density" || shownFiles().length < 2;
  element("unzoom").hidden = view() === "space" ? !state.turn : !state.zoom || !["density", "histogram", "curves"].includes(view());
  document.querySelector("[data-view=fields]").hidden = !fieldNames().length;
  element("field").replaceChildren(...fieldNames().map((one) => new Option(one, one)));
  element("field").value = state.field || fieldNames()[0] || "";
  const tables = leader()?.first?.tables ?? [];
  element("table-row").hidden = tables.length < 2;
  element("table").replaceChildren(...tables.map((one) => new Option(one.name || "(without a name)", one.name)));
  element("table").value = table().name;
  const hints = (name, items) => element(name).replaceChildren(...items.map((one) => {
    const hint = new Option(one.unit ? `${one.name} [${marked(one.unit)}]` : one.name, one.name);
    return hint;
  }));
  hints("columns", columns());
  hints("attributes", [{ name: "step" }, ...attributes()]);
  hints("quantities", [...attributes(), ...known.filter((name) => !attributes().some((one) => one.name === name)).map((name) => ({ name }))]);
}
