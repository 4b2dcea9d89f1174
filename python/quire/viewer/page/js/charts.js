// Curves and histograms by uPlot, in the colours of the page.

import { paintChart } from "./chart_paint.js";
import { inks } from "./density.js";
import { fittedIn } from "./labels.js";
import { decimalsOf, ticks } from "./ticks.js";
import { drawByTouch } from "./touch.js";
import { axisScale, labelOf } from "./units.js";

/** Distances of ticks of counts. */
const WHOLE = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat();

/** Return the least and the greatest finite value of arrays; those above 0 only for a logarithmic axis. */
function limitsOf(arrays, isLog = false) {
  let [low, high] = [Infinity, -Infinity];
  for (const values of arrays) {
    for (const value of values) {
      if (!Number.isFinite(value) || (isLog && value <= 0)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : isLog ? [0.1, 1] : [0, 1];
}

/**
 * Make a chart. `curves` are `{ label, colour, dash, values, isSteps }` over `xs`; `x` and `y` are quantities.
 * `select` is called with the limits of a range that the pointer draws, `click` with a place on x.
 */
export function chart(parent, { size, xs, curves, x, y, isLog, zoom, marker, select, click, sync, padBelow, isInner, isPoints }) {
  const ink = inks();
  const across = zoom ?? limitsOf([xs]);
  const found = limitsOf(curves.map((curve) => curve.values), isLog);
  const xScale = axisScale(...across, x.unit);
  // An axis from 0, or a logarithmic one, has no offset.
  const yScale = axisScale(isLog || padBelow ? 0 : found[0], found[1], y.unit);
  const scaled = (values, scale) => Array.from(values, (one) => (one === undefined || one === null ? one : Number.isFinite(one) ? scale.shown(one) : null));
  const labels = [[x, xScale, size.width - 120], [y, yScale, size.height - (isInner ? 40 : 62)]].map(([text, scale, room]) => {
    const whole = labelOf({ ...text, symbol: text.symbol ?? "" }, scale.unit, scale.origin);
    return { whole, shown: fittedIn(`600 13px ${ink.sans}`, whole, room) };
  });
  // The library multiplies only whole numbers of pixels by the resolution.
  const axis = (size, extra) => ({
    stroke: ink.soft, grid: { stroke: ink.grid, width: 1 }, ticks: { stroke: ink.faint, width: 1, size: 4 },
    font: `12px ${ink.sans}`, labelFont: `600 13px ${ink.sans}`, size, labelSize: 22, ...extra,
  });
  const texts = (_, splits) => {
    const shown = splits.filter((one) => one !== null);
    if (shown.length < 2) return splits.map((one) => (one === null ? "" : String(one)));
    const { text } = ticks(shown[0], shown.at(-1), shown.length);
    const step = shown[1] - shown[0];
    return splits.map((one) => (one === null ? "" : Math.abs(one) >= 1e6 ? text(one) : one.toFixed(decimalsOf(step))));
  };
  const options = {
    width: size.width, height: size.height, legend: { show: false }, pxAlign: 0,
    cursor: {
      drag: { x: Boolean(select), y: false, setScale: false }, points: { size: 7 }, focus: { prox: 24 },
      ...(sync ? { sync: { key: sync } } : {}),
      bind: { dblclick: () => null },
    },
    scales: {
      x: { time: false, range: () => padded(across, xScale, zoom || padBelow ? 0 : 0.02) },
      y: isLog
        ? { distr: 3, range: () => [yScale.shown(found[0]) * 0.8, yScale.shown(found[1]) * 1.25] }
        : { range: () => padded(padBelow ? [0, found[1]] : found, yScale, 0.06, padBelow) },
    },
    axes: [
      axis(24, { label: isInner ? null : labels[0].shown, space: 70, values: texts }),
      axis(58, { label: labels[1].shown, space: 28, ...(isLog ? {} : { values: texts }), ...(y.isWhole ? { incrs: WHOLE } : {}) }),
    ],
    series: [
      {},
      ...curves.map((curve) => ({
        label: curve.label, stroke: curve.colour, width: isPoints ? 0 : 1.8, dash: curve.dash, spanGaps: false,
        fill: curve.isSteps ? `${curve.colour}2e` : undefined,
        paths: curve.isSteps ? window.uPlot.paths.stepped({ align: 1 }) : isPoints ? () => null : undefined,
        points: isPoints
          ? { show: true, size: xs.length > 2000 ? 2.5 : 5, fill: curve.colour, width: 0 }
          : { show: !curve.isSteps && !curve.isSmooth && xs.length <= 150, size: 4.5, fill: ink.plot },
      })),
    ],
    hooks: {
      draw: [(plot) => { if (marker !== null && marker !== undefined) drawMarker(plot, xScale.shown(marker), ink); }],
      setSelect: [(plot) => {
        if (!select || plot.select.width < 4) return;
        const ends = [plot.select.left, plot.select.left + plot.select.width];
        select(ends.map((pixel) => xScale.value(plot.posToVal(pixel, "x"))), plot);
      }],
      ready: [(plot) => {
        if (select) drawByTouch(plot.over);
        if (!click) return;
        plot.over.addEventListener("click", (event) => click(xScale.value(plot.posToVal(event.offsetX, "x"))));
        plot.over.style.cursor = "pointer";
      }],
    },
  };
  const data = [scaled(xs, xScale), ...curves.map((curve) => scaled(curve.values, yScale))];
  const made = new window.uPlot(options, data, parent);
  made.root.onpointermove = ({ clientX, clientY }) => {
    const area = made.over.getBoundingClientRect();
    const { whole, shown } = (clientY > area.bottom && !isInner && labels[0]) || (clientX < area.left && labels[1]) || {};
    made.root.title = shown === whole ? "" : whole;
  };
  made.quireScales = { x: xScale, y: yScale };
  const mark = marker === null || marker === undefined ? null : xScale.shown(marker);
  made.root.again = (context, at) => paintChart(context, made, { curves, isPoints, ink, marker: mark }, at);
  return made;
}

function padded([low, high], scale, share, isFromBelow = false) {
  const [a, b] = [scale.shown(low), scale.shown(high)];
  const span = b - a || Math.abs(b) || 1;
  return [isFromBelow ? a : a - span * share, b + span * share];
}

function drawMarker(plot, value, ink) {
  const { ctx, bbox } = plot;
  const at = Math.round(plot.valToPos(value, "x", true)) + 0.5;
  if (!(at >= bbox.left && at <= bbox.left + bbox.width)) return;
  ctx.save();
  ctx.strokeStyle = ink.accent;
  ctx.lineWidth = window.devicePixelRatio || 1;
  ctx.setLineDash([5, 4]);
  ctx.beginPath();
  ctx.moveTo(at, bbox.top);
  ctx.lineTo(at, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

/** Return the names of curves above a chart, with their colours. Long ones are shortened, the notes after them are not. */
export function titleOf(entries) {
  const title = document.createElement("div");
  title.className = "chart-title";
  for (const { label, note = "", colour, isDashed, isWarning } of entries) {
    const entry = Object.assign(document.createElement("span"), { title: `${label}${note}` });
    const mark = document.createElement("i");
    mark.style.background = colour;
    mark.style.color = colour;
    mark.classList.toggle("dashed", Boolean(isDashed));
    entry.classList.toggle("bad", Boolean(isWarning));
    entry.append(mark, ...(label ? [Object.assign(document.createElement("b"), { textContent: label })] : []), note);
    title.append(entry);
  }
  return title;
}
