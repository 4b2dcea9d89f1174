// The files of the server, and what of them is shown.

import { conditions } from "./cuts.js";
import { state } from "./state.js";

export let files = [];

/** Keep the descriptions of the files. */
export function setFiles(found) {
  files = found;
}

/** Return the ticked files that can be read. */
export function shownFiles() {
  const wanted = state.files ?? files.filter((one) => one.numbers.length).slice(0, 1).map((one) => one.file);
  return wanted.map((number) => files[number]).filter((one) => one?.numbers.length);
}

/** Return the file whose tables and attributes are offered: the first one that is shown. */
export function leader() {
  return shownFiles()[0] ?? null;
}

/** Return the file whose steps the slider has: the one with most steps, of several the first. */
export function stepped() {
  return shownFiles().reduce((most, one) => (one.numbers.length > (most?.numbers.length ?? 0) ? one : most), null);
}

/** Return the place in the list of the number that is nearest. */
export function nearest(numbers, wanted) {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < wanted) low = middle + 1; else high = middle;
  }
  return low > 0 && wanted - numbers[low - 1] <= numbers[low] - wanted ? low - 1 : low;
}

/** Return the place of the step that is shown among those of the file with most steps. */
export function placeOfStep() {
  const first = stepped();
  return first ? nearest(first.numbers, state.step ?? first.numbers[0]) : 0;
}

/** Return the number of the step that is shown. */
export function stepNumber() {
  return stepped()?.numbers[placeOfStep()] ?? 0;
}

/** Return the files with the steps of them that are shown: the same number, or the nearest. */
export function sources() {
  const wanted = stepNumber();
  return shownFiles().map((one) => ({ file: one.file, step: one.numbers[nearest(one.numbers, wanted)] }));
}

/** Return the description of the table that is shown, of its first step. */
export function table() {
  const tables = leader()?.first?.tables ?? [];
  return tables.find((one) => one.name === state.table) ?? tables[0] ?? { name: "", rows: 0, columns: [] };
}

/** Return the columns of numbers of the table. */
export function columns() {
  return table().columns.filter((one) => one.isNumber);
}

/** Return the attributes of the steps of a file that are numbers. */
export function attributes(file = leader()) {
  return (file?.first?.attributes ?? []).filter((one) => one.isNumber);
}

/** Return the names of the fields of the first file that is shown. */
export function fieldNames() {
  return (leader()?.first?.fields ?? []).map((one) => one.name);
}

const USUAL = [["x", "px"], ["x", "xp"], ["z", "pz"], ["t", "p"]];
const PLACES = ["s", "spos", "SPOS", "z", "time", "TIME", "t"];

/** Return the columns of a density if none are chosen. */
function usualAxes() {
  const names = columns().map((one) => one.name);
  return USUAL.find((pair) => pair.every((one) => names.includes(one))) ?? [names[0] ?? "", names[1] ?? names[0] ?? ""];
}

/** Return what curves along the run are drawn against if nothing is chosen. */
function usualAlong() {
  const names = attributes().map((one) => one.name);
  return PLACES.find((one) => names.includes(one)) ?? "step";
}

/** Return what is drawn along the run if nothing is chosen: sizes, else the first attributes. */
function usualCurves() {
  const names = attributes().map((one) => one.name).filter((one) => one !== usualAlong());
  const sizes = names.filter((one) => /^(rms|sigma|sig)_?[xyz]$/i.test(one));
  if (sizes.length) return sizes.slice(0, 2);
  return usualAxes().join() === "x,px" || !names.length ? ["sigma_x", "sigma_y"] : names.slice(0, 2);
}

/** Return what curves of columns are drawn against if nothing is chosen. */
function usualAcross() {
  const names = columns().map((one) => one.name);
  return PLACES.find((one) => names.includes(one)) ?? names[0] ?? "";
}

/** Return the columns that are drawn if none are chosen: pairs of planes, else the first ones. */
function usualUp() {
  const names = columns().map((one) => one.name).filter((one) => one !== usualAcross());
  const pair = names.find((one) => /x$/.test(one) && names.includes(one.replace(/x$/, "y")));
  return pair ? [pair, pair.replace(/x$/, "y")] : names.slice(0, 2);
}

/** Return the three columns along which points in space are drawn. */
function usualSpace() {
  const names = columns().map((one) => one.name);
  const usual = ["x", "y", "z"].every((one) => names.includes(one)) ? ["x", "y", "z"] : names.slice(0, 3);
  return ["x3", "y3", "z3"].map((name, place) => state[name] || usual[place] || "");
}

/** Return the view that is chosen, or what suits the file: particles have a phase space. */
export function view() {
  if (state.view) return state.view;
  const names = columns().map((one) => one.name);
  if (!names.length) return fieldNames().length ? "fields" : attributes().length ? "run" : "rows";
  return USUAL.some((pair) => pair.every((one) => names.includes(one))) || table().rows > 5000 ? "density" : "curves";
}

/** Return a choice, or what is usual. */
export const chosen = {
  x: () => state.x || usualAxes()[0],
  y: () => state.y || usualAxes()[1],
  of: () => state.of || usualAxes()[0],
  along: () => state.along || usualAlong(),
  ys: () => state.ys ?? usualCurves(),
  across: () => state.across || usualAcross(),
  up: () => state.up ?? usualUp(),
  space: usualSpace,
};

/** Return the request for the rows that are shown. */
export function request() {
  return { sources: sources(), table: table().name, where: state.where, cuts: conditions(), followed: state.followed };
}
