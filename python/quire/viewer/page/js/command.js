// The command that draws the same as the page.

import { chosen, columns, fieldNames, files, leader, shownFiles, sources, table, view } from "./files.js";
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

/** Return the option that selects the step of a file. */
function stepOf({ file, step }) {
  return files[file].numbers.length > 1 ? ["--steps", String(step)] : [];
}

/** Return the command of all files, or one of each if these are at different steps. */
function ofSteps(make) {
  const found = sources();
  const isOne = found.every((one) => stepOf(one).join() === stepOf(found[0]).join());
  if (isOne) return [make(found.map(({ file }) => files[file].path), stepOf(found[0]), "")];
  return found.map((one, place) => make([files[one.file].path], stepOf(one), `-${place + 1}`));
}

function inBins(bins) {
  return bins.length ? ["--bins", bins.join("x")] : [];
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
  const steps = sources().length ? stepOf(sources()[0]) : [];
  if (view() === "density") {
    const isOne = sources().length < 2;
    return sources().map(({ file, step }, place) => [
      "quire", "plot", files[file].path, ...option("--histogram", `${chosen.x()},${chosen.y()}`), ...inBins(bins), ...weight(),
      ...stepOf({ file, step }), ...common(cutOf(file)),
      // With fewer digits the greatest value may be outside a range that several files share.
      ...(rangesOf(file)?.flatMap((ends) => option("--range", ends.join(":"))) ?? (state.zoom ?? []).flatMap(range)),
      ...(state.scale === "log" ? ["--log", "z"] : []), ...(state.contours ? ["--shares", shares.join()] : []), isOne ? "density.png" : `density-${place + 1}.png`,
    ]);
  }
  if (view() === "histogram") {
    const log = state.logy ? ["--log", "y"] : [];
    return ofSteps((some, at, end) => ["quire", "plot", ...some, ...option("--histogram", chosen.of()), ...inBins(bins), ...weight(), ...at,
      ...common(), ...(state.zoom ? range(state.zoom[0]) : []), ...log, ...(state.fit ? ["--fit", "gauss"] : []),
      ...(state.cumulative ? ["--cumulative"] : []), `histogram${end}.png`]);
  }
  if (view() === "curves") {
    return ofSteps((some, at, end) => ["quire", "plot", ...some, ...option("-x", chosen.across()), ...option("-y", chosen.up().join()), ...at,
      ...common(), ...(state.points ? ["--points"] : []), ...(state.zoom ? option("--x-range", state.zoom[0].map(number).join(":")) : []),
      ...(state.logy ? ["--log", "y"] : []), `curves${end}.png`]);
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
 * Return the commands of particles that are followed: those of each file are written to a file of their own, and
 * these are drawn. Other files than that in which they were selected have the particles with the same ids.
 */
function ofFollowed(made) {
  if (!made.length) return [];
  const { file, step, where } = state.followed;
  const drawn = new Set(made.flat());
  const paths = [files[file], ...shownFiles().filter((one) => one.file !== file && drawn.has(one.path))].map((one) => one.path);
  const tracks = new Map(paths.map((path, place) =>
    [path, `tracks${paths.length > 1 ? `-${place + 1}` : ""}${/\.\w+$/.exec(path)?.[0] ?? ""}`]));
  const named = (leader()?.first?.tables.length ?? 0) > 1 ? option("--table", table().name) : [];
  const selected = (place) => (place === 0 ? option("--where", `${where}@${step}`) : option("--ids-of", tracks.get(paths[0])));
  return [...paths.map((path, place) => ["quire", "track", path, tracks.get(path), ...selected(place), ...named]),
    ...made.map((words) => words.map((one) => tracks.get(one) ?? one))];
}

/** Return whether a condition has names whose unit in one of these files is not that of the first one. */
export function convertsCut(where = state.where, others = shownFiles()) {
  if (!leader()) return false;
  const units = [leader(), ...others].map((file) => new Map([...(file.first?.attributes ?? []),
    ...(file.first?.tables.find((one) => one.name === table().name) ?? file.first?.tables[0])?.columns ?? []].map((one) => [one.name, one.unit])));
  const names = where.match(/[^\W\d]\w*/g) ?? [];
  return units.slice(1).some((one) => names.some((name) => units[0].has(name) && one.has(name) && one.get(name) !== units[0].get(name)));
}

/** Return the commands as a line for a shell. Plots of particles that could not be written would draw those of before. */
export function line(parts) {
  const made = commands(parts);
  const [all, between] = state.followed && view() !== "fields" ? [ofFollowed(made), " && "] : [made, "; "];
  return all.map((words) => words.map(quoted).join(" ")).join(between);
}
