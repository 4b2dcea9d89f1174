// A chart of uPlot drawn again on a canvas or on a page of SVG.

/**
 * Draw a chart at a place of a picture. `look` has its curves, whether they are points, the colours of the page and
 * the place of its mark on the shown axis.
 */
export function paintChart(context, plot, { curves, isPoints, ink, marker }, at) {
  const area = areaOf(plot, at);
  paintAxes(context, plot, area, ink);
  context.save();
  context.beginPath();
  context.rect(area.x, area.y, area.width, area.height);
  context.clip();
  context.lineJoin = "round";
  curves.forEach((curve, place) => {
    const points = pointsOf(plot, place + 1, area);
    if (isPoints) dots(context, points, plot.data[0].length > 2000 ? 1.25 : 2.5, curve.colour, null);
    else if (curve.isSteps) paintSteps(context, points, area, curve.colour);
    else paintLine(context, points, curve, ink);
  });
  if (marker !== null) {
    context.setLineDash([5, 4]);
    stroke(context, [[area.fromX(marker), area.y], [area.fromX(marker), area.y + area.height]], ink.accent, 1);
  }
  context.restore();
}

function areaOf(plot, at) {
  const ratio = window.uPlot.pxRatio;
  const [x, y, width, height] = ["left", "top", "width", "height"].map((name) => plot.bbox[name] / ratio);
  const area = { x: at.x + x, y: at.y + y, width, height };
  area.fromX = (value) => area.x + plot.valToPos(value, "x");
  area.fromY = (value) => area.y + plot.valToPos(value, "y");
  return area;
}

function paintAxes(context, plot, area, ink) {
  const [across, up] = plot.axes;
  const bottom = area.y + area.height;
  context.font = `12px ${ink.sans}`;
  context.textAlign = "center";
  context.textBaseline = "top";
  (across._splits ?? []).forEach((value, place) => {
    const x = area.fromX(value);
    stroke(context, [[x, area.y], [x, bottom]], ink.grid, 1);
    stroke(context, [[x, bottom], [x, bottom + 4]], ink.faint, 1);
    context.fillStyle = ink.soft;
    context.fillText(String(across._values[place] ?? ""), x, bottom + 8);
  });
  context.textAlign = "right";
  context.textBaseline = "middle";
  (up._splits ?? []).forEach((value, place) => {
    const y = area.fromY(value);
    stroke(context, [[area.x, y], [area.x + area.width, y]], ink.grid, 1);
    stroke(context, [[area.x - 4, y], [area.x, y]], ink.faint, 1);
    context.fillStyle = ink.soft;
    context.fillText(String(up._values[place] ?? ""), area.x - 8, y);
  });
  context.font = `600 13px ${ink.sans}`;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  context.fillStyle = ink.soft;
  if (across.label) context.fillText(across.label, area.x + area.width / 2, bottom + 40, area.width);
  if (up.label) {
    context.save();
    context.translate(area.x - 62, area.y + area.height / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(up.label, 0, 0, area.height);
    context.restore();
  }
}

/** Return the points of a curve in pixels: null where it has a gap. */
function pointsOf(plot, place, area) {
  const isLog = plot.scales.y.distr === 3;
  return plot.data[place].flatMap((value, index) => {
    if (value === undefined) return []; // of another curve over the same x
    return [value === null || (isLog && value <= 0) ? null : [area.fromX(plot.data[0][index]), area.fromY(value)]];
  });
}

function stroke(context, points, colour, width) {
  context.beginPath();
  trace(context, points);
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
}

/** Add a line through points to a path; it begins again after each gap. */
export function trace(context, points) {
  let isOn = false;
  for (const point of points) {
    if (point === null) isOn = false;
    else {
      if (isOn) context.lineTo(...point); else context.moveTo(...point);
      isOn = true;
    }
  }
}

function paintLine(context, points, curve, ink) {
  context.setLineDash(curve.dash ?? []);
  stroke(context, points, curve.colour, 1.8);
  context.setLineDash([]);
  if (points.length <= 150 && !curve.isSmooth) dots(context, points, 2.25, ink.plot, curve.colour);
}

function dots(context, points, radius, fill, around) {
  context.beginPath();
  for (const point of points) {
    if (point === null) continue;
    context.moveTo(point[0] + radius, point[1]);
    context.arc(...point, radius, 0, 2 * Math.PI);
  }
  context.fillStyle = fill;
  context.fill();
  if (around === null) return;
  context.strokeStyle = around;
  context.lineWidth = 1;
  context.stroke();
}

/** Draw the bins of a histogram, of which the first edge has the height; empty ones of a logarithmic axis have none. */
function paintSteps(context, points, area, colour) {
  const bottom = area.y + area.height;
  const outline = points.slice(0, -1).flatMap((point, place) => {
    const next = points[place + 1] ?? points.slice(place + 1).find(Boolean);
    return point === null || !next ? [null] : [point, [next[0], point[1]]];
  });
  context.beginPath();
  points.slice(0, -1).forEach((point, place) => {
    const next = points[place + 1];
    if (point && next) context.rect(point[0], point[1], next[0] - point[0], bottom - point[1]);
  });
  context.globalAlpha = 0.18;
  context.fillStyle = colour;
  context.fill();
  context.globalAlpha = 1;
  stroke(context, outline, colour, 1.8);
}
