// The command that draws the same as the page.

import { chosen, fieldNames, files, leader, shownFiles, sources, stepNumber, stepped, table, view } from "./files.js";
import { state } from "./state.js";

/** Return a word as a shell reads it. */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Return an option and its value as words. */
function option(name, value) {
  // A value that begins with a dash would be an option.
  return String(value).startsWith("-") ? [`${name}=${value}`] : [name, String(value)];
}

function range(ends) {
  return option("--range", ends.map(number).join(":"));
}

function number(value) {
  return String(Number(value.toPrecision(12)));
}

function common(where = state.where) {
  const words = [];
  if ((leader()?.first?.tables.length ?? 0) > 1) words.push(...option("--table", table().name));
  if (where) words.push(...option("--where", where));
  return words;
}

/**
 * Return the words of commands, one for each picture. `quantities` describes curves along the run, `slices` a part
 * of a field; `rangesOf` and `cutOf` return the limits of the density of a file, and the cut in its units.
 */
function commands({ bins, quantities, slices, rangesOf, cutOf }) {
  const paths = shownFiles().map((one) => one.path);
  const isOneOfMany = (stepped()?.numbers.length ?? 0) > 1;
  const steps = isOneOfMany ? ["--steps", String(stepNumber())] : [];
  if (view() === "density") {
    const isOne = sources().length < 2;
    return sources().map(({ file, step }, place) => [
      "quire", "plot", files[file].path, ...option("--histogram", `${chosen.x()},${chosen.y()}`), "--bins", bins.join("x"),
      ...(files[file].numbers.length > 1 ? ["--steps", String(step)] : []), ...common(cutOf(file)),
      // With fewer digits the greatest value may be outside a range that several files share.
      ...(rangesOf(file)?.flatMap((ends) => option("--range", ends.join(":"))) ?? (state.zoom ?? []).flatMap(range)), isOne ? "density.png" : `density-${place + 1}.png`,
    ]);
  }
  if (view() === "histogram") {
    const log = state.logy ? ["--log", "y"] : [];
    return [["quire", "plot", ...paths, ...option("--histogram", chosen.of()), "--bins", String(bins[0]), ...steps, ...common(),
      ...(state.zoom ? range(state.zoom[0]) : []), ...log, "histogram.png"]];
  }
  if (view() === "curves") {
    return [["quire", "plot", ...paths, ...option("-x", chosen.across()), ...option("-y", chosen.up().join()), ...steps, ...common(),
      ...(state.points ? ["--points"] : []), ...(state.zoom ? option("--x-range", state.zoom[0].map(number).join(":")) : []),
      ...(state.logy ? ["--log", "y"] : []), "curves.png"]];
  }
  if (view() === "run") {
    const groups = new Map();
    for (const name of chosen.ys()) {
      const kind = quantities.find((one) => one.name === name)?.isBeam ? "--beam" : "--attributes";
      groups.set(kind, [...(groups.get(kind) ?? []), name]);
    }
    const along = chosen.along() === "step" ? [] : ["-x", chosen.along()];
    return [...groups].map(([kind, names]) => ["quire", "plot", ...paths, ...option(kind, names.join()), ...along,
      ...(kind === "--beam" ? common() : []), ...(state.logy ? ["--log", "y"] : []), "run.png"]);
  }
  if (view() === "fields") {
    return [["quire", "plot", paths[0], ...option("--field", state.field || fieldNames()[0]), ...steps,
      ...(slices ? option("--slice", slices) : []), ...(state.component ? ["--component", state.component] : []), "field.png"]];
  }
  if (view() === "space") return [];
  const rows = ["--rows", `${state.row}:${state.row + 100}`];
  return sources().slice(0, 1).map(({ file }) => ["quire", "show", files[file].path, ...steps, ...(state.where ? [] : rows), ...common()]);
}

/** Return whether the cut has names whose unit in another file is not that of the first one. */
export function convertsCut() {
  const units = shownFiles().map((file) => new Map([...(file.first?.attributes ?? []),
    ...(file.first?.tables.find((one) => one.name === table().name) ?? file.first?.tables[0])?.columns ?? []].map((one) => [one.name, one.unit])));
  const names = state.where.match(/[^\W\d]\w*/g) ?? [];
  return units.slice(1).some((one) => names.some((name) => units[0].has(name) && one.has(name) && one.get(name) !== units[0].get(name)));
}

/** Return commands as lines for a shell. */
export function lines(parts) {
  return commands(parts).map((words) => words.map(quoted).join(" "));
}
