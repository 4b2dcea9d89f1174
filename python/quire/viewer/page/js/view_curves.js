// The view of curves: columns of a step against a column.

import { compute } from "./api.js";
import { offer } from "./boxes.js";
import { NO_ROWS } from "./density.js";
import { chosen, files, request, sources } from "./files.js";
import { state } from "./state.js";
import { drawCharts, isSorted } from "./unit_charts.js";
import { grouped } from "./units.js";

let found = [];
let asked = null;
/** What of it is along y. */
let up = [];
let holder = null;
let failures = [];

/** Show the chosen columns. */
export async function refresh(shell) {
  const names = [chosen.across(), ...chosen.up()];
  const fresh = [];
  failures = [];
  const isDone = await compute("plot", "curves", { ...request(), x: names[0], ys: names.slice(1) }, (one) => {
    if (one.kind === "progress") shell.progress(one.share);
    if (one.kind === "curves") fresh.push(one);
    if (one.kind === "failed") failures = one.failed;
  });
  if (!isDone) return false;
  found = fresh;
  asked = [...new Set(names)];
  up = names.slice(1);
  draw(shell);
  const sum = (name) => found.reduce((total, one) => total + one[name], 0);
  const drawn = found.reduce((total, one) => total + one.arrays[0].shape[1], 0);
  const some = drawn < sum("rows") ? `, ${grouped(drawn)} of them are drawn` : "";
  shell.note(`${grouped(sum("rows"))} of ${grouped(sum("tableRows"))} rows${some}`);
  return true;
}

function column(one, name) {
  const [, length] = one.arrays[0].shape;
  const place = asked.indexOf(name);
  return one.arrays[0].values.subarray(place * length, (place + 1) * length);
}

/** Draw the last curves again. */
export function draw(shell) {
  if (!found.length) return;
  const described = new Map(found[0].terms.map((one) => [one.name, one]));
  const x = described.get(asked[0]);
  const series = up.flatMap((name) => found.map((one) => ({ file: one.file, name, xs: column(one, asked[0]), values: column(one, name), note: one.rows ? "" : `: ${NO_ROWS}` })));
  // Lines join rows in their order, which a chart over x has only if x increases.
  const isPoints = state.points || !series.every((one) => isSorted(one.xs));
  holder = drawCharts(shell, series, described, x, {
    isPoints, isLog: state.logy, zoom: state.zoom?.[0],
    select: (range, made) => {
      const around = made.over.getBoundingClientRect();
      const place = { x: around.x + made.select.left + made.select.width, y: around.y + 40 };
      offer([[x.name, ...range]], place, () => made.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false));
    },
  });
}

/** Return what is wrong with files that are not shown. */
export function failed() {
  return failures.map((one) => one.error);
}

/** Return the numbers of the files of the picture. */
export function filesOf() {
  return found.map((one) => one.file);
}

/** Return the picture. */
export function picture() {
  return holder;
}

/** Return the numbers as columns. */
export function numbers() {
  const repeated = (of) => found.flatMap((one) => new Array(one.arrays[0].shape[1]).fill(of(one)));
  return [
    { name: "file", values: repeated((one) => files[one.file].path) }, { name: "step", isWhole: true, values: repeated((one) => one.step) },
    ...found[0].terms.map((term, place) => ({ ...term, values: found.flatMap((one) => [...column(one, asked[place])]) })),
  ];
}

/** Return why nothing can be drawn. */
export function reason() {
  if (!sources().length) return "Tick a file to show it.";
  if (!chosen.across()) return "This step has no columns of numbers. Along the run shows attributes of the steps.";
  return chosen.up().length ? "" : "Write the columns to draw into y.";
}
