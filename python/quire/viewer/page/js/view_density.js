// The view of densities.

import { writtenBins, wrongBins } from "./bins.js";
import { drawBoxes } from "./boxes.js";
import { drawDensity } from "./density.js";
import { distribution, topOf } from "./distribution.js";
import { chosen, files, request, sources } from "./files.js";
import { state } from "./state.js";
import { digits, grouped, writtenWithin } from "./units.js";

/** The shares of the rows in percent that have lines around them. */
export const SHARES = [50, 90, 99];
let frame = null;
let areas = [];
let canvas = null;

/** Return the number of bins of both axes that are drawn. */
export function bins() {
  return frame?.axes.map((axis) => axis.bins) ?? [];
}

/** Show the density of the chosen columns. */
export async function refresh(shell) {
  const names = [chosen.x(), chosen.y()];
  const given = writtenBins();
  const body = { ...request(), x: names[0], y: names[1], weight: state.weight, bins: given && [given[0], given.at(-1)], limits: state.zoom,
    shares: state.contours ? SHARES : [] };
  return distribution(shell, body, (one) => {
    frame = { ...one, names, where: body.where };
    draw(shell);
    shell.note(noteOf(one));
  });
}

/** Return what the numbers of rows are. */
export function noteOf(one) {
  const rows = one.panels.reduce((sum, panel) => sum + panel.rows, 0);
  const left = one.panels.reduce((sum, panel) => sum + panel.rows - panel.drawable, 0);
  const all = one.panels.reduce((sum, panel) => sum + panel.tableRows, 0);
  if (one.isSample) return `a sample of ${grouped(rows)} of ${grouped(all)} rows; all are being read`;
  const others = left ? `, ${grouped(left)} without a place (NaN, infinite)` : "";
  return `${followedOf(one)}${grouped(rows)} of ${grouped(all)} rows${others}`;
}

/** Return how many of the particles that are followed are there. */
function followedOf(one) {
  const panels = (one.top ?? one).panels.filter((panel) => panel.followed);
  if (!panels.length) return "";
  const sum = (name) => panels.reduce((total, panel) => total + panel.followed[name], 0);
  return `${grouped(sum("particles"))} followed${sum("absent") ? `, ${grouped(sum("absent"))} of them absent` : ""}; `;
}

/** Return what is in bins: rows, or the sum of a weight. */
export function countOf(weight) {
  return weight ? `sum of ${weight}` : "rows";
}

/** Draw the last density again, for another size or look. */
export function draw(shell) {
  if (!frame) return;
  if (!canvas) {
    canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    const areaAt = drawBoxes(canvas.holder = document.createElement("div"), () => areas, () => frame.names);
    canvas.holder.style.cssText = "position:absolute;inset:0;cursor:crosshair;touch-action:none";
    canvas.holder.append(canvas);
    canvas.holder.addEventListener("pointermove", (event) => shell.read(readAt(areaAt, event)));
    canvas.holder.addEventListener("pointerleave", () => shell.read(""));
  }
  canvas.setAttribute("aria-label", `density of ${frame.names.join(" and ")}`);
  shell.show(canvas.holder);
  const labels = Object.fromEntries(files.map((one) => [one.file, one.label]));
  areas = drawDensity(canvas, shell.size(), frame, { ...state, labels, isSample: frame.isSample });
}

function readAt(areaAt, event) {
  const around = canvas.getBoundingClientRect();
  const point = { x: event.clientX - around.x, y: event.clientY - around.y };
  const area = areaAt(point);
  if (!area) return "";
  const [x, y] = frame.axes;
  const place = [area.toX(point.x), area.toY(point.y)];
  const i = Math.min(x.bins - 1, Math.floor(((place[0] - x.low) / (x.high - x.low)) * x.bins));
  const j = Math.min(y.bins - 1, Math.floor(((place[1] - y.low) / (y.high - y.low)) * y.bins));
  const within = (axis, value) => `${axis.name} = ${writtenWithin(value, axis.unit, axis.low, axis.high)}`;
  const counts = area.group.map((panel) => digits(panel.counts[i * y.bins + j], 6)).join(", ");
  return `${within(x, place[0])},  ${within(y, place[1])}:  ${countOf(frame.weight)} = ${counts}`;
}

/** Return a function that gets back what is drawn now. */
export function kept() {
  const now = frame;
  return () => { frame = now; };
}

/** Return what is wrong with files that are not shown. */
export function failed() {
  return [...wrongBins(), ...[...frame.failed, ...(frame.top?.failed ?? [])].map((one) => one.error)];
}

/** Return the limits of the axes for a file, in its own units; null if only one file is drawn. */
export function rangesOf(file) {
  const panel = frame?.panels.find((one) => one.file === file);
  if (!panel || frame.panels.length < 2) return null;
  return frame.axes.map((axis, place) => [axis.low / panel.factors[place], axis.high / panel.factors[place]]);
}

/** Return the cut in the units of a file. */
export function cutOf(file) {
  const panel = frame?.where === state.where ? frame.panels.find((one) => one.file === file) : null;
  return panel?.where ?? state.where;
}

/** Return the numbers of the files of the picture. */
export function filesOf() {
  return frame.panels.map((one) => one.file);
}

/** Return the picture. */
export function picture() {
  return canvas;
}

/** Return the numbers as columns: the middle of each bin that is not empty, and what is in it. */
export function numbers() {
  const [x, y] = frame.axes;
  const cells = frame.panels.flatMap((panel, place) => Array.from(frame.arrays[place].values, (count, index) =>
    ({ panel, count, index })).filter(({ count }) => count));
  const centre = (axis, place) => axis.low + ((place + 0.5) * (axis.high - axis.low)) / axis.bins;
  const made = (quantity, of) => ({ ...quantity, values: cells.map(of) });
  return [
    made({ name: "file" }, ({ panel }) => files[panel.file].path), made({ name: "step", isWhole: true }, ({ panel }) => panel.step),
    made(x, ({ index }) => centre(x, Math.floor(index / y.bins))), made(y, ({ index }) => centre(y, index % y.bins)),
    made(countColumn(frame.weight), ({ count }) => count),
    ...(frame.top ? [made({ ...countColumn(frame.weight), name: "followed" }, ({ panel, index }) => topOf(frame, panel.file)?.counts[index] ?? 0)] : []),
  ];
}

/** Return the description of a column of what is in bins. */
export function countColumn(weight) {
  return weight ? { name: countOf(weight), short: "sum" } : { name: "count", isWhole: true, description: "rows in the bin" };
}

/** Return whether there is something to draw. */
export function reason() {
  if (!sources().length) return "Tick a file to show it.";
  return chosen.x() ? "" : "This step has no columns of numbers. Along the run shows attributes of the steps.";
}
