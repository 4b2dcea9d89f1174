// The command that draws the same as the page.

import { chosen, columns, fieldNames, files, leader, shownFiles, sources, stepNumber, stepped, table, view } from "./files.js";
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

function common(where = whereOfRows()) {
  const words = [];
  if ((leader()?.first?.tables.length ?? 0) > 1) words.push(...option("--table", table().name));
  if (where) words.push(...option("--where", where));
  return words;
}

/** Return the cut. Where rows are not left out for a NaN alone, followed particles that a step lacks are cut away. */
function whereOfRows() {
  if (!state.followed || !["run", "rows"].includes(view())) return state.where;
  const { name } = columns()[0];
  const isThere = `not isnan(${/^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``})`;
  return state.where ? `(${state.where}) and ${isThere}` : isThere;
}

/** Return the option for a weight, whose absolute values are summed. */
function weight() {
  return state.weight ? option("--weight", `abs(${state.weight})`) : [];
}

/**
 * Return the words of commands, one for each picture. `quantities` describes curves along the run, `slices` a part
 * of a field; `rangesOf` and `cutOf` return the limits of the density of a file, and the cut in its units.
 */
function commands({ bins, quantities, slices, rangesOf, cutOf, overlay, shares }) {
  const paths = shownFiles().map((one) => one.path);
  const isOneOfMany = (stepped()?.numbers.length ?? 0) > 1;
  const steps = isOneOfMany ? ["--steps", String(stepNumber())] : [];
  if (view() === "density") {
    const isOne = sources().length < 2;
    return sources().map(({ file, step }, place) => [
      "quire", "plot", files[file].path, ...option("--histogram", `${chosen.x()},${chosen.y()}`), "--bins", bins.join("x"), ...weight(),
      ...(files[file].numbers.length > 1 ? ["--steps", String(step)] : []), ...common(cutOf(file)),
      // With fewer digits the greatest value may be outside a range that several files share.
      ...(rangesOf(file)?.flatMap((ends) => option("--range", ends.join(":"))) ?? (state.zoom ?? []).flatMap(range)),
      ...(state.scale === "log" ? ["--log", "z"] : []), ...(state.contours ? ["--shares", shares.join()] : []), isOne ? "density.png" : `density-${place + 1}.png`,
    ]);
  }
  if (view() === "histogram") {
    const log = state.logy ? ["--log", "y"] : [];
    return [["quire", "plot", ...paths, ...option("--histogram", chosen.of()), "--bins", String(bins[0]), ...weight(), ...steps, ...common(),
      ...(state.zoom ? range(state.zoom[0]) : []), ...log, ...(state.fit ? ["--fit", "gauss"] : []),
      ...(state.cumulative ? ["--cumulative"] : []), "histogram.png"]];
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
      ...(slices ? option("--slice", slices) : []), ...(state.component ? ["--component", state.component] : []), "field.png"],
    ...(overlay ? [ofParticles(paths[0], steps, overlay)] : [])];
  }
  if (view() === "space") return [];
  const rows = ["--rows", `${state.row}:${state.row + 100}`];
  return sources().slice(0, 1).map(({ file }) => ["quire", "show", files[file].path, ...steps, ...(state.where || state.followed ? [] : rows), ...common()]);
}

/** Return the command that draws the particles near a plane alone. */
function ofParticles(path, steps, { names, where, bins: count, limits }) {
  const named = (leader()?.first?.tables.length ?? 0) > 1 ? option("--table", table().name) : [];
  return ["quire", "plot", path, ...option("--histogram", names.join()), "--bins", `${count}x${count}`, ...steps, ...named,
    ...(where ? option("--where", where) : []), ...limits.flatMap(range), "particles.png"];
}

/**
 * Return the commands of particles that are followed: they are written to a file of their own, which is drawn. Of
 * other files than that in which they were selected there are no commands.
 */
function ofFollowed(made) {
  const { file, step, where } = state.followed;
  const { path } = files[file];
  const others = new Set(files.filter((one) => one.file !== file).map((one) => one.path));
  const tracks = `tracks${/\.\w+$/.exec(path)?.[0] ?? ""}`;
  const drawn = made.filter((words) => words.includes(path))
    .map((words) => words.filter((one) => !others.has(one)).map((one) => (one === path ? tracks : one)));
  const named = (leader()?.first?.tables.length ?? 0) > 1 ? option("--table", table().name) : [];
  return drawn.length ? [["quire", "track", path, tracks, ...option("--where", `${where}@${step}`), ...named], ...drawn] : [];
}

/** Return whether a condition has names whose unit in one of these files is not that of the first one. */
export function convertsCut(where = state.where, others = shownFiles()) {
  if (!leader()) return false;
  const units = [leader(), ...others].map((file) => new Map([...(file.first?.attributes ?? []),
    ...(file.first?.tables.find((one) => one.name === table().name) ?? file.first?.tables[0])?.columns ?? []].map((one) => [one.name, one.unit])));
  const names = where.match(/[^\W\d]\w*/g) ?? [];
  return units.slice(1).some((one) => names.some((name) => units[0].has(name) && one.has(name) && one.get(name) !== units[0].get(name)));
}

/** Return commands as lines for a shell. */
export function lines(parts) {
  const made = commands(parts);
  return (state.followed && view() !== "fields" ? ofFollowed(made) : made).map((words) => words.map(quoted).join(" "));
}
