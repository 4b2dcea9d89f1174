// The view of curves along the steps: attributes of steps, and quantities of their particles.

import { compute } from "./api.js";
import { chosen, files, stepped, nearest, request, sources, stepNumber } from "./files.js";
import { change, state } from "./state.js";
import { drawCharts } from "./unit_charts.js";

let found = new Map();
let asked = null;
/** What of it is along y. */
let up = [];
let holder = null;
let failures = [];

/** Show the chosen quantities of all steps. */
export async function refresh(shell) {
  const names = [chosen.along(), ...chosen.ys()];
  const body = { ...request(), x: names[0], ys: names.slice(1) };
  const fresh = new Map();
  failures = [];
  return compute("plot", "along", body, (one) => {
    if (one.kind === "progress") shell.progress(one.share);
    if (one.kind === "failed") {
      failures = one.failed;
      if (!failures.filter(({ file }) => fresh.delete(file)).length) return;
    } else if (one.kind === "points") fresh.set(one.file, one);
    else return;
    found = fresh;
    asked = [...new Set(names)];
    up = names.slice(1);
    draw(shell);
    shell.note(`${[...found.values()].map((points) => points.arrays[0].shape[1]).join(" + ")} steps`);
  });
}

/** Return the descriptions of what is drawn. */
export function quantities() {
  const merged = new Map();
  for (const { terms } of found.values()) {
    for (const term of terms) if (!merged.has(term.name) || term.unit) merged.set(term.name, term);
  }
  return [...merged.values()];
}

function column(points, name) {
  const [count, length] = points.arrays[0].shape;
  const place = asked.indexOf(name);
  return place < 0 || place >= count ? new Float64Array(length) : points.arrays[0].values.subarray(place * length, (place + 1) * length);
}

/** Draw the last curves again. */
export function draw(shell) {
  if (!found.size || !asked) return;
  const described = new Map(quantities().map((one) => [one.name, one]));
  const series = up.flatMap((name) => [...found.values()].map((points) => {
    const values = column(points, name);
    return { file: points.file, name, xs: column(points, asked[0]), values, note: values.some(Number.isFinite) ? "" : ": no values" };
  }));
  const x = described.get(asked[0]) ?? { name: asked[0], unit: "" };
  holder = drawCharts(shell, series, described, x, { isLog: state.logy, marker: placeOfStepOnX(), click: goTo });
}

function placeOfStepOnX() {
  const points = found.get(stepped()?.file);
  if (!points) return null;
  const index = stepped().numbers.indexOf(stepNumber());
  const value = column(points, asked[0])[index];
  return Number.isFinite(value) ? value : null;
}

/** Go to the step whose place on x is nearest. */
function goTo(value) {
  const place = nearestPlace(value);
  if (place !== null) change({ step: stepped().numbers[place] });
}

function nearestPlace(value) {
  const points = found.get(stepped()?.file);
  if (!points) return null;
  let best = null;
  column(points, asked[0]).forEach((one, index) => {
    if (best === null || Math.abs(one - value) < best.distance) best = { distance: Math.abs(one - value), index };
  });
  return best?.index ?? null;
}

/** Return a function that gets back what is drawn now. */
export function kept() {
  const now = [found, asked, up];
  return () => { [found, asked, up] = now; };
}

/** Return what is wrong with files that are not shown. */
export function failed() {
  return failures.map((one) => one.error);
}

/** Return the numbers of the files of the picture. */
export function filesOf() {
  return [...found.keys()];
}

/** Return the picture. */
export function picture() {
  return holder;
}

/** Return the numbers as columns. */
export function numbers() {
  const described = new Map(quantities().map((one) => [one.name, one]));
  const all = [...found.values()];
  return [
    { name: "file", values: all.flatMap((points) => new Array(points.arrays[0].shape[1]).fill(files[points.file].path)) },
    ...asked.map((name) => ({ name, ...described.get(name), values: all.flatMap((points) => [...column(points, name)]) })),
  ];
}

/** Return why nothing can be drawn. */
export function reason() {
  if (!sources().length) return "Tick a file to show it.";
  return chosen.ys().length ? "" : "Write what to draw into y: attributes of the steps, or quantities of the beam.";
}

/** Return the step whose attribute is nearest to a value, and the values of it and at the ends; null if none has it. */
export async function nearestStep(name, value) {
  let points = null;
  const first = stepped();
  await compute("jump", "along", { sources: [{ file: first.file, step: first.numbers[0] }], x: "step", ys: [name] }, (one) => {
    if (one.kind === "points") points = one;
  });
  if (!points) return null;
  const [, length] = points.arrays[0].shape;
  const numbers = points.arrays[0].values.subarray(0, length);
  const values = points.arrays[0].values.subarray(length, 2 * length);
  let best = null;
  values.forEach((one, index) => {
    if (Number.isFinite(one) && (best === null || Math.abs(one - value) < best.distance)) best = { distance: Math.abs(one - value), index };
  });
  if (best === null) return null;
  const known = values.filter(Number.isFinite).sort();
  return { step: first.numbers[nearest(first.numbers, numbers[best.index])], value: values[best.index], ends: [known[0], known.at(-1)] };
}
