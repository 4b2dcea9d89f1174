// Curves of several quantities and files: a chart for each unit, over the same x.

import { chart, titleOf } from "./charts.js";
import { files } from "./files.js";
import { colourOf } from "./palettes.js";
import { writtenWithin } from "./units.js";

const DASHES = [undefined, [8, 4], [2, 4], [10, 4, 2, 4]];

/** Return the places of all series on one x, in order, and the values of each; undefined where it has none. */
function aligned(series) {
  const places = series.flatMap(({ xs }, owner) => Array.from(xs, (x, index) => ({ x, owner, index })))
    .filter(({ x }) => Number.isFinite(x)).sort((a, b) => a.x - b.x);
  const merged = [];
  const columns = series.map(() => []);
  let last = null;
  for (const { x, owner, index } of places) {
    // Series that have a value at the same place share it; two values of one series do not.
    if (last === null || x !== last || columns[owner][merged.length - 1] !== undefined) {
      merged.push(x);
      columns.forEach((one) => one.push(undefined));
      last = x;
    }
    const value = series[owner].values[index];
    columns[owner][merged.length - 1] = Number.isFinite(value) ? value : null;
  }
  return { xs: merged, columns };
}

/** Return whether numbers never decrease. */
export function isSorted(values) {
  for (let place = 1; place < values.length; place += 1) if (values[place] < values[place - 1]) return false;
  return true;
}

/**
 * Draw series `{ file, name, xs, values }` of quantities in charts of one unit each. Returns the element.
 * `described` has the quantities by name; `options` are passed to each chart.
 */
export function drawCharts(shell, series, described, x, options) {
  const groups = new Map();
  for (const one of series) {
    const { unit } = described.get(one.name) ?? { unit: "" };
    groups.set(unit, [...(groups.get(unit) ?? []), one]);
  }
  const holder = document.createElement("div");
  holder.className = "charts";
  shell.show(holder);
  const space = shell.size();
  const shownFiles = [...new Set(series.map((one) => one.file))];
  const many = shownFiles.length > 1;
  const titles = [...groups.values()].map((some) => {
    const names = [...new Set(some.map((one) => one.name))];
    return some.map((one) => {
      const place = names.indexOf(one.name);
      return {
        ...one, label: many ? `${one.name}, ${files[one.file].label}` : one.name, colour: colourOf(many ? one.file : place),
        isDashed: many && place > 0 && !options.isPoints, dash: many ? DASHES[place % DASHES.length] : undefined,
      };
    });
  });
  const share = (space.height - 42) / groups.size;
  [...groups.keys()].forEach((unit, row) => {
    const entries = titles[row];
    const names = [...new Set(entries.map((one) => one.name))];
    holder.append(titleOf(entries));
    const { xs, columns } = aligned(entries);
    const label = names.length > 3 ? `${names.slice(0, 3).join(", ")} …` : names.join(", ");
    const isInner = row < groups.size - 1;
    const plot = chart(holder, {
      size: { width: space.width - 20, height: Math.max(Math.floor(share) - 26 + (isInner ? 0 : 22), 80) },
      xs, curves: entries.map((one, place) => ({ ...one, values: columns[place] })), x,
      // The names are above the chart; a low one has room for the unit only.
      y: { name: groups.size > 2 ? "" : label, unit, symbol: names.length === 1 ? described.get(names[0])?.symbol : "" },
      isInner, sync: "charts", ...options,
    });
    plot.over.addEventListener("pointermove", () => shell.read(readAt(plot, x, unit)));
    plot.over.addEventListener("pointerleave", () => shell.read(""));
  });
  return holder;
}

function readAt(plot, x, yUnit) {
  const { idx, idxs } = plot.cursor;
  if (idx === null || idx === undefined) return "";
  const { x: xScale, y: yScale } = plot.quireScales;
  const within = (axis, scale, unit, shown) => {
    const [low, high] = [plot.scales[axis].min, plot.scales[axis].max].map(scale.value);
    return writtenWithin(scale.value(shown), unit, low, high);
  };
  const values = plot.series.slice(1).map((series, place) => {
    const value = plot.data[place + 1][idxs?.[place + 1] ?? idx];
    return value === null || value === undefined ? null : `${series.label} = ${within("y", yScale, yUnit, value)}`;
  });
  return [`${x.name} = ${within("x", xScale, x.unit, plot.data[0][idx])}`, ...values.filter(Boolean)].join(",  ");
}
