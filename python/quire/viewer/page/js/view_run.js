// The view of curves along the steps: attributes of steps, and quantities of their particles.

import { compute } from "./api.js";
import { chart, titleOf } from "./charts.js";
import { chosen, files, leader, nearest, request, sources, stepNumber } from "./files.js";
import { colourOf } from "./palettes.js";
import { change, state } from "./state.js";
import { digits, withUnit } from "./units.js";

let found = new Map();
let asked = null;
let plots = [];
let holder = null;

const DASHES = [undefined, [8, 4], [2, 4], [10, 4, 2, 4]];

/** Show the chosen quantities of all steps. */
export async function refresh(shell) {
  const names = [chosen.along(), ...chosen.ys()];
  const body = { ...request(), x: names[0], ys: names.slice(1) };
  const fresh = new Map();
  return compute("plot", "along", body, (one) => {
    if (one.kind === "progress") shell.progress(one.share);
    if (one.kind !== "points") return;
    fresh.set(one.file, one);
    found = fresh;
    asked = [...new Set(names)];
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

/** Return values of all files over the union of their places on x. */
function joined(name) {
  const all = [...found.values()];
  const places = [...new Set(all.flatMap((points) => [...column(points, asked[0])]))].filter(Number.isFinite).sort((a, b) => a - b);
  const rank = new Map(places.map((place, index) => [place, index]));
  const curves = all.map((points) => {
    const values = new Array(places.length).fill(all.length > 1 ? undefined : null);
    const xs = column(points, asked[0]);
    column(points, name).forEach((value, index) => { if (rank.has(xs[index])) values[rank.get(xs[index])] = value; });
    return { file: points.file, values };
  });
  return { places, curves };
}

/** Draw the last curves again. Quantities of one unit share a chart. */
export function draw(shell) {
  if (!found.size || !asked) return;
  const described = new Map(quantities().map((one) => [one.name, one]));
  const ys = chosen.ys().filter((name) => asked.includes(name));
  const groups = new Map();
  for (const name of ys) {
    const { unit } = described.get(name) ?? { unit: "" };
    groups.set(unit, [...(groups.get(unit) ?? []), name]);
  }
  const x = described.get(asked[0]) ?? { name: asked[0], unit: "" };
  holder = document.createElement("div");
  holder.className = "charts";
  shell.show(holder);
  const space = shell.size();
  const many = found.size > 1;
  plots = [];
  for (const [unit, names] of groups) {
    const entries = names.flatMap((name, place) => [...found.keys()].map((file, index) => ({
      label: many ? `${name}, ${files[file].label}` : name,
      colour: colourOf(many ? file : place), isDashed: many && place > 0, dash: many ? DASHES[place % DASHES.length] : undefined,
      name, index,
    })));
    holder.append(titleOf(entries));
    const values = entries.map((entry) => ({ ...entry, values: joined(entry.name).curves[entry.index].values }));
    const label = names.length > 3 ? `${names.slice(0, 3).join(", ")} …` : names.join(", ");
    // The names are above the chart; a low one has room for the unit only.
    const y = { name: groups.size > 2 ? "" : label, unit, symbol: names.length === 1 ? described.get(names[0])?.symbol : "" };
    const isInner = holder.querySelectorAll(".uplot").length < groups.size - 1;
    const share = (space.height - 42) / groups.size;
    const { places } = joined(names[0]);
    plots.push(chart(holder, {
      size: { width: space.width - 20, height: Math.max(Math.floor(share) - 26 + (isInner ? 0 : 22), 80) }, xs: places, curves: values, x, y, isLog: state.logy,
      marker: placeOfStepOnX(), sync: "run", click: goTo, isInner,
    }));
  }
  for (const plot of plots) plot.over.addEventListener("pointermove", () => shell.read(readAt(plot, x)));
}

function placeOfStepOnX() {
  const points = found.get(leader()?.file);
  if (!points) return null;
  const index = leader().numbers.indexOf(stepNumber());
  const value = column(points, asked[0])[index];
  return Number.isFinite(value) ? value : null;
}

/** Go to the step whose place on x is nearest. */
function goTo(value) {
  const place = nearestPlace(value);
  if (place !== null) change({ step: leader().numbers[place] });
}

function nearestPlace(value) {
  const points = found.get(leader()?.file);
  if (!points) return null;
  let best = null;
  column(points, asked[0]).forEach((one, index) => {
    if (best === null || Math.abs(one - value) < best.distance) best = { distance: Math.abs(one - value), index };
  });
  return best?.index ?? null;
}

function readAt(plot, x) {
  const { idx } = plot.cursor;
  if (idx === null || idx === undefined) return "";
  const { x: xScale, y: yScale } = plot.quireScales;
  const values = plot.series.slice(1).map((series, place) => {
    const value = plot.data[place + 1][idx];
    return value === null || value === undefined ? null : `${series.label} = ${digits(value)} ${yScale.unit}`;
  });
  const place = plot.data[0][idx] / xScale.factor;
  return [`${x.name} = ${withUnit(place, x.unit).join(" ")}`, ...values.filter(Boolean)].join(",  ");
}

/** Return the picture. */
export function picture() {
  return holder;
}

/** Return the numbers as rows of text, with a heading. */
export function numbers() {
  const described = new Map(quantities().map((one) => [one.name, one]));
  const heading = asked.map((name) => (described.get(name)?.unit ? `${name} [${described.get(name).unit}]` : name));
  const rows = [["file", ...heading]];
  for (const points of found.values()) {
    const columns = asked.map((name) => column(points, name));
    for (let index = 0; index < points.arrays[0].shape[1]; index += 1) {
      rows.push([files[points.file].path, ...columns.map((values) => String(Number(values[index].toPrecision(12))))]);
    }
  }
  return rows;
}

/** Return why nothing can be drawn. */
export function reason() {
  if (!sources().length) return "Tick a file to show it.";
  return chosen.ys().length ? "" : "Write what to draw into y: attributes of the steps, or quantities of the beam.";
}

/** Return the place on x of each step of a file, to go to the nearest. */
export async function nearestStep(name, value) {
  let points = null;
  const first = leader();
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
  return best === null ? null : first.numbers[nearest(first.numbers, numbers[best.index])];
}
