// The view of histograms.

import { writtenBins, wrongBins } from "./bins.js";
import { offer } from "./boxes.js";
import { chart, titleOf } from "./charts.js";
import { inks } from "./density.js";
import { distribution, topOf } from "./distribution.js";
import { chosen, files, request, sources, table } from "./files.js";
import { colourOf } from "./palettes.js";
import { state } from "./state.js";
import { digits, written, writtenWithin } from "./units.js";
import { countColumn, countOf, noteOf } from "./view_density.js";

let frame = null;
let plot = null;

/** Return the number of bins. */
export function bins() {
  const given = writtenBins();
  if (given) return [given[0]];
  return [Math.round(Math.max(24, Math.min(400, 2.5 * Math.cbrt(table().rows))))];
}

/** Show the histogram of the chosen column. */
export async function refresh(shell) {
  const body = { ...request(), x: chosen.of(), y: "", weight: state.weight, bins: bins(), limits: state.zoom && [state.zoom[0]] };
  return distribution(shell, body, (one) => {
    frame = one;
    draw(shell);
    shell.note(noteOf(one));
  });
}

/** Draw the last histogram again. */
export function draw(shell) {
  if (!frame) return;
  const [axis] = frame.axes;
  const width = (axis.high - axis.low) / axis.bins;
  const edges = Float64Array.from({ length: axis.bins + 1 }, (_, place) => axis.low + place * width);
  const curves = frame.panels.flatMap((panel, place) => curvesOf(panel, frame.arrays[place].values));
  const holder = document.createElement("div");
  holder.className = "charts";
  holder.append(titleOf(frame.panels.flatMap((panel) => [panel, topOf(frame, panel.file) ?? []].flat().map((one) => ({
    colour: one === panel && frame.top ? inks().faint : colourOf(panel.file),
    label: `${files[panel.file].label}, step ${panel.step}${one === panel ? "" : ", followed"}: mean ${written(one.means[0], axis.unit)}, `
      + `rms ${written(Math.sqrt(one.covariances[0][0] ?? NaN), axis.unit)}`,
  })))));
  shell.show(holder);
  const space = shell.size();
  const name = state.share ? `share of the ${countOf(frame.weight)}` : countOf(frame.weight);
  plot = chart(holder, {
    size: { width: space.width - 20, height: space.height - holder.firstChild.offsetHeight - 18 },
    xs: edges, curves, x: axis, y: { name: `${name} in each bin`, unit: "" }, isLog: state.logy,
    zoom: state.zoom?.[0], padBelow: true,
    select: (range, made) => {
      const around = made.over.getBoundingClientRect();
      const place = { x: around.x + made.select.left + made.select.width, y: around.y + 40 };
      offer([[axis.name, ...range]], place, () => made.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false));
    },
  });
  plot.over.addEventListener("pointermove", (event) => {
    const value = plot.quireScales.x.value(plot.posToVal(event.offsetX, "x"));
    const bin = Math.max(0, Math.min(axis.bins - 1, Math.floor((value - axis.low) / width)));
    const counts = frame.arrays.map((one) => digits(one.values[bin], 6)).join(", ");
    shell.read(`${axis.name} = ${writtenWithin(value, axis.unit, axis.low, axis.high)}:  ${countOf(frame.weight)} = ${counts}`);
  });
  plot.over.addEventListener("pointerleave", () => shell.read(""));
}

/** Return the curves of a file: of all rows, and of the particles that are followed on top of them. */
function curvesOf(panel, counts) {
  const top = topOf(frame, panel.file);
  const made = (values, label, colour) => {
    const whole = state.share ? values.reduce((sum, one) => sum + one, 0) || 1 : 1;
    const shown = [...values, values.at(-1)].map((one) => (state.logy && one === 0 ? null : one / whole));
    return { label, colour, values: shown, isSteps: true };
  };
  const { label } = files[panel.file];
  return [made(counts, label, top ? inks().faint : colourOf(panel.file)), ...(top ? [made(top.counts, `${label}, followed`, colourOf(panel.file))] : [])];
}

/** Return what is wrong with files that are not shown. */
export function failed() {
  return [...wrongBins(), ...[...frame.failed, ...(frame.top?.failed ?? [])].map((one) => one.error)];
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
  const counts = frame.panels.map((panel, place) => {
    const column = countColumn(frame.weight);
    const short = `${column.short ?? column.name}${frame.panels.length > 1 ? place + 1 : ""}`;
    return { ...column, name: `${column.name}, ${files[panel.file].path}, step ${panel.step}`, short, values: Array.from(frame.arrays[place].values) };
  });
  const followed = frame.panels.flatMap((panel) => {
    const top = topOf(frame, panel.file);
    return top ? [{ name: `followed, ${files[panel.file].path}, step ${panel.step}`, short: "followed", values: Array.from(top.counts) }] : [];
  });
  return [...ends, ...counts, ...followed];
}

/** Return why nothing can be drawn. */
export function reason() {
  if (!sources().length) return "Tick a file to show it.";
  return chosen.of() ? "" : "This step has no columns of numbers. Along the run shows attributes of the steps.";
}

