// The command that draws the same as the page.

import { chosen, files, leader, shownFiles, sources, stepNumber, table } from "./files.js";
import { state } from "./state.js";

/** Return a word as a shell reads it. */
export function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Return an option and its value as words. */
function option(name, value) {
  // A value that begins with a dash would be an option.
  return String(value).startsWith("-") ? [`${name}=${value}`] : [name, String(value)];
}

function range([low, high]) {
  return option("--range", `${number(low)}:${number(high)}`);
}

function number(value) {
  return String(Number(value.toPrecision(12)));
}

function common() {
  const words = [];
  if ((leader()?.first?.tables.length ?? 0) > 1) words.push(...option("--table", table().name));
  if (state.where) words.push(...option("--where", state.where));
  return words;
}

/** Return the words of commands, one for each picture. `quantities` describes curves along the run. */
export function commands(bins, quantities = []) {
  const paths = shownFiles().map((one) => one.path);
  const isOneOfMany = (leader()?.numbers.length ?? 0) > 1;
  const steps = isOneOfMany ? ["--steps", String(stepNumber())] : [];
  if (state.view === "density") {
    return sources().map(({ file, step }) => [
      "quire", "plot", files[file].path, ...option("--histogram", `${chosen.x()},${chosen.y()}`), "--bins", bins.join("x"),
      ...(files[file].numbers.length > 1 ? ["--steps", String(step)] : []), ...common(), ...(state.zoom ?? []).flatMap(range),
      "density.png",
    ]);
  }
  if (state.view === "histogram") {
    const log = state.logy ? ["--log", "y"] : [];
    return [["quire", "plot", ...paths, ...option("--histogram", chosen.of()), "--bins", String(bins[0]), ...steps, ...common(),
      ...(state.zoom ? range(state.zoom[0]) : []), ...log, "histogram.png"]];
  }
  if (state.view === "run") {
    const groups = new Map();
    for (const name of chosen.ys()) {
      const kind = quantities.find((one) => one.name === name)?.isBeam ? "--beam" : "--attributes";
      groups.set(kind, [...(groups.get(kind) ?? []), name]);
    }
    const along = chosen.along() === "step" ? [] : ["-x", chosen.along()];
    return [...groups].map(([kind, names]) => ["quire", "plot", ...paths, ...option(kind, names.join()), ...along,
      ...(kind === "--beam" ? common() : []), ...(state.logy ? ["--log", "y"] : []), "run.png"]);
  }
  const rows = ["--rows", `${state.row}:${state.row + 100}`];
  return sources().slice(0, 1).map(({ file }) => ["quire", "show", files[file].path, ...steps, ...(state.where ? [] : rows), ...common()]);
}

/** Return commands as lines for a shell. */
export function lines(bins, quantities) {
  return commands(bins, quantities).map((words) => words.map(quoted).join(" "));
}
