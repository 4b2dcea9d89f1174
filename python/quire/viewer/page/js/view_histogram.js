// The view of histograms.

import { writtenBins, wrongBins } from "./bins.js";
import { offer } from "./boxes.js";
import { chart, titleOf } from "./charts.js";
import { inks, NO_ROWS } from "./density.js";
import { distribution, topOf } from "./distribution.js";
import { chosen, files, request, sources } from "./files.js";
import { colourOf } from "./palettes.js";
import { state } from "./state.js";
import { digits, withError, written, writtenWithin } from "./units.js";
import { countColumn, countOf, noteOf } from "./view_density.js";

let frame = null;
let plot = null;

/** Return the number of bins that are drawn. */
export function bins() {
  return frame?.axes.map((axis) => axis.bins) ?? [];
}

/** Show the histogram of the chosen column. */
export async function refresh(shell) {
  const body = { ...request(), x: chosen.of(), y: "", weight: state.weight, bins: writtenBins()?.slice(0, 1), limits: state.zoom && [state.zoom[0]], fit: state.fit };
  return distribution(shell, body, (one) => {
    frame = one;
    draw(shell);
    shell.note(noteOf(one));
  });
}

/** Return what is drawn of each file: all rows, and on top of them the particles that are followed. */
function parts() {
  return frame.panels.flatMap((panel, place) => {
    const top = topOf(frame, panel.file);
    const [label, colour] = [files[panel.file].label, colourOf(panel.file)];
    const all = { ...panel, label, colour: top ? inks().faint : colour, counts: frame.arrays[place].values, fit: top ? null : frame.fits?.[place] };
    return top ? [all, { ...top, label, colour, isFollowed: true }] : [all];
  });
}

/** Draw the last histogram again. */
export function draw(shell) {
  if (!frame) return;
  const [axis] = frame.axes;
  const width = (axis.high - axis.low) / axis.bins;
  const shown = parts();
  // Curves of fits are smooth between the edges of few bins.
  const finer = state.fit && !state.cumulative ? Math.ceil(240 / axis.bins) : 1;
  const xs = Float64Array.from({ length: axis.bins * finer + 1 }, (_, place) => axis.low + (place * width) / finer);
  const curves = [...shown.map((part) => barsOf(part, finer)), ...shown.filter(hasFit).map((part) => curveOf(part, xs, width))];
  const holder = document.createElement("div");
  holder.className = "charts";
  holder.append(titleOf(shown.flatMap((part) => [{ colour: part.colour, label: part.label, note: noteOfPart(part, axis) }, ...titleOfFit(part, axis)])));
  shell.show(holder);
  const space = shell.size();
  const name = `${state.share ? `share of the ${countOf(frame.weight)}` : countOf(frame.weight)} ${state.cumulative ? "up to the end of each bin" : "in each bin"}`;
  plot = chart(holder, {
    size: { width: space.width - 20, height: space.height - holder.firstChild.offsetHeight - 18 },
    xs, curves, x: axis, y: { name, unit: "", isWhole: !state.share && !frame.weight }, isLog: state.logy, zoom: state.zoom?.[0], padBelow: true,
    select: (range, made) => {
      const around = made.over.getBoundingClientRect();
      const place = { x: around.x + made.select.left + made.select.width, y: around.y + 40 };
      offer([[axis.name, ...range]], place, () => made.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false));
    },
  });
  plot.over.addEventListener("pointermove", (event) => {
    const value = plot.quireScales.x.value(plot.posToVal(event.offsetX, "x"));
    const bin = Math.max(0, Math.min(axis.bins - 1, Math.floor((value - axis.low) / width)));
    const counts = shown.map((part) => digits(part.counts[bin], 6)).join(", ");
    shell.read(`${axis.name} = ${writtenWithin(value, axis.unit, axis.low, axis.high)}:  ${countOf(frame.weight)} = ${counts}`);
  });
  plot.over.addEventListener("pointerleave", () => shell.read(""));
}

function hasFit(part) {
  return Boolean(state.fit && part.fit?.isConverged);
}

function sumOf(values) {
  return values.reduce((sum, one) => sum + one, 0);
}

/** Return numbers, or their sums up to each of them. */
function summed(values) {
  let sum = 0;
  return state.cumulative ? Array.from(values, (one) => (sum += one)) : Array.from(values);
}

/** Return the bins of a part as a curve with steps, whose x has a number of places in each bin. */
function barsOf({ label, colour, counts }, finer) {
  const whole = state.share ? sumOf(counts) || 1 : 1;
  const heights = summed(counts).map((one) => (state.logy && one === 0 ? null : one / whole));
  const values = [...heights, heights.at(-1)].flatMap((one, place) =>
    [one, ...(place < heights.length ? new Array(finer - 1).fill(undefined) : [])]);
  return { label, colour, values, isSteps: true };
}

/** Return the fit of a part as a curve: at its places, or as sums up to the end of each bin. */
function curveOf({ label, counts, fit }, xs, width) {
  const whole = state.share ? sumOf(counts) || 1 : 1;
  const at = (x) => (fit.height * Math.exp(-0.5 * ((x - fit.mean) / fit.sigma) ** 2)) / whole;
  const values = state.cumulative ? [0, ...summed(Array.from(xs.subarray(0, -1), (x) => at(x + width / 2)))] : Array.from(xs, at);
  const isLow = state.logy ? 1 / whole / 10 : -Infinity;
  return { label: `fit of ${label}`, colour: inks().ink, values: values.map((one) => (one > isLow ? one : null)), dash: [6, 4], isSmooth: true };
}

function noteOfPart({ step, isFollowed, means, covariances, rows }, axis) {
  if (rows === 0 && !frame.isSample) return `, step ${step}${isFollowed ? ", followed" : ""}: ${NO_ROWS}`;
  return `, step ${step}${isFollowed ? ", followed" : ""}: mean ${written(means[0], axis.unit)}, rms ${written(Math.sqrt(covariances[0][0] ?? NaN), axis.unit)}`;
}

/** Return what is known of the fit of a part. */
function titleOfFit({ fit, colour }, axis) {
  if (!state.fit || !fit) return [];
  const entry = (note, isWarning, ink = inks().ink) => [{ colour: ink, isDashed: true, label: "", note, isWarning }];
  if (!fit.isConverged) return entry(`${fit.isTried ? "Gaussian fit did not converge" : "No Gaussian fit"}: ${fit.message}`, true, colour);
  const chi = fit.chiSquared === null ? "" : `, χ² ${digits(fit.chiSquared, 4)} for ${fit.degrees} degrees of freedom`;
  const numbers = `Gaussian fit: mean ${withError(fit.mean, fit.meanError, axis.unit)}, sigma ${withError(fit.sigma, fit.sigmaError, axis.unit)}${chi}`;
  return entry(fit.remark ? `${numbers}; ${fit.remark}` : numbers, Boolean(fit.remark));
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

/** Return what the command does not draw. */
export function unsaid() {
  return state.share ? "The command draws the counts, not their shares." : "";
}

/** Return the numbers of the files of the picture. */
export function filesOf() {
  return frame.panels.map((one) => one.file);
}

/** Return the picture. */
export function picture() {
  return plot.root.parentElement;
}

/** Return the numbers as columns: the ends of the bins, and what each file has in them. */
export function numbers() {
  const [axis] = frame.axes;
  const width = (axis.high - axis.low) / axis.bins;
  const ends = ["low", "high"].map((name, end) => ({ name: `${name} of ${axis.name}`, short: name, unit: axis.unit,
    values: Array.from({ length: axis.bins }, (_, bin) => axis.low + (bin + end) * width) }));
  const shown = parts();
  const column = countColumn(frame.weight);
  const columns = shown.flatMap((part, place) => {
    const of = `${files[part.file].path}, step ${part.step}`;
    const number = shown.length > 1 ? place + 1 : "";
    const name = part.isFollowed ? "followed" : column.name;
    const middle = (bin) => axis.low + (bin + 0.5) * width;
    const fitted = hasFit(part) && Array.from(part.counts, (_, bin) => part.fit.height * Math.exp(-0.5 * ((middle(bin) - part.fit.mean) / part.fit.sigma) ** 2));
    return [
      { ...column, name: `${name}, ${of}`, short: `${column.short ?? name}${number}`, values: Array.from(part.counts) },
      ...(state.cumulative ? [{ ...column, name: `cumulative, ${of}`, short: `cumulative${number}`, values: summed(part.counts) }] : []),
      ...(fitted ? [{ name: `fit, ${of}`, short: `fit${number}`, values: fitted }] : []),
    ];
  });
  return [...ends, ...columns];
}

/** Return why nothing can be drawn. */
export function reason() {
  if (!sources().length) return "Tick a file to show it.";
  return chosen.of() ? "" : "This step has no columns of numbers. Along the run shows attributes of the steps.";
}

