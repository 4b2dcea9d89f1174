// Densities on a canvas: image, marginals, rms ellipse, axes and colour bar.

import { trace } from "./chart_paint.js";
import { linesOf, topOf } from "./distribution.js";
import { titled, write } from "./labels.js";
import { colourOf, palette } from "./palettes.js";
import { powers, ticks } from "./ticks.js";
import { axisScale, digits, grouped, labelOf } from "./units.js";

/** The distance of a name from its note, and of that from the next name. */
const [NEAR, BETWEEN] = [8, 20];
/** What is said of a picture or a part of it that has none. */
export const NO_ROWS = "no rows";
const LEFT = 66, BOTTOM = 46, TOP = 26, RIGHT = 14, GAP = 6, BAR = 54;

/** Return the colours of the page, from its style sheet. */
export function inks() {
  const style = getComputedStyle(document.documentElement);
  const found = (name) => style.getPropertyValue(`--${name}`).trim();
  return { ink: found("ink"), soft: found("soft"), faint: found("faint"), line: found("line"), grid: found("grid"),
    plot: found("plot"), accent: found("accent"), sans: found("sans") };
}

/** Give a canvas its size in pixels of the page, and return its empty context. */
function freshContext(canvas, size, ink) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(size.width * ratio);
  canvas.height = Math.round(size.height * ratio);
  canvas.style.width = `${size.width}px`;
  canvas.style.height = `${size.height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  return cleared(context, size, ink);
}

/** Return a context after it was filled with the colour of pictures. */
export function cleared(context, size, ink) {
  context.fillStyle = ink.plot;
  context.fillRect(0, 0, size.width, size.height);
  return context;
}

/** Draw on a canvas, which keeps how, for pictures in another form. Returns what `paint` does. */
export function drawOn(canvas, size, paint) {
  const ink = inks();
  canvas.again = (context) => paint(cleared(context, size, ink), ink);
  titled(canvas);
  return paint(freshContext(canvas, size, ink), ink);
}

/** Return the area between the axes in a box, and the functions between its pixels and values. */
export function areaOf(box, x, y, marginal, group) {
  const area = {
    x: box.x + LEFT, y: box.y + TOP + marginal + GAP, marginal, group,
    width: box.width - LEFT - RIGHT - marginal - GAP,
    height: box.height - TOP - marginal - GAP - BOTTOM,
  };
  area.toX = (pixel) => x.low + ((pixel - area.x) / area.width) * (x.high - x.low);
  area.toY = (pixel) => y.high - ((pixel - area.y) / area.height) * (y.high - y.low);
  area.fromX = (value) => area.x + ((value - x.low) / (x.high - x.low)) * area.width;
  area.fromY = (value) => area.y + ((y.high - value) / (y.high - y.low)) * area.height;
  return area;
}

/**
 * Draw panels of densities. Returns their areas in pixels of the page, for boxes and for the pointer:
 * `{ panel, x, y, width, height, toX, toY }`.
 */
export function drawDensity(canvas, size, frame, look) {
  return drawOn(canvas, size, (context, ink) => paintDensity(context, ink, size, frame, look));
}

function paintDensity(context, ink, size, frame, look) {
  const panels = frame.panels.map((panel, place) => ({
    ...panel, weight: frame.weight, counts: frame.arrays[place].values, lines: linesOf(frame, place), top: topOf(frame, panel.file),
  }));
  const groups = look.overlay ? [panels] : panels.map((panel) => [panel]);
  const columns = groups.length < 2 ? 1 : groups.length < 5 ? 2 : 3;
  const rows = Math.ceil(groups.length / columns);
  const isColoured = groups.every((group) => group.length === 1);
  const cell = { width: (size.width - (isColoured ? BAR : 0)) / columns, height: size.height / rows };
  // The colours are those of the particles that are followed; all others are grey below them.
  const coloured = frame.top ? panels.flatMap((panel) => panel.top ?? []) : panels;
  const scale = isColoured ? colourScale(coloured.map((panel) => panel.counts), look.scale) : null;
  const areas = groups.map((group, place) => {
    const box = { x: (place % columns) * cell.width, y: Math.floor(place / columns) * cell.height, ...cell };
    return drawPanel(context, box, group, frame.axes, look, ink, scale);
  });
  if (isColoured) drawBar(context, size, scale, look, ink, frame.top ? "followed" : frame.weight ? "sums" : "rows");
  return areas;
}

/** Draw a panel: of one file in the colours of a scale, or of several, each in its own colour. */
function drawPanel(context, box, group, axes, look, ink, scale) {
  const isColoured = group.length === 1 && scale !== null;
  const marginal = Math.max(28, Math.min(62, 0.12 * Math.min(box.width, box.height * 1.3)));
  const [x, y] = axes.map((axis) => ({ ...axis, ...axisScale(axis.low, axis.high, axis.unit) }));
  const area = areaOf(box, x, y, marginal, group);
  drawAxes(context, area, x, y, ink);
  const isDark = document.documentElement.dataset.theme === "dark";
  context.save();
  if (!isColoured) context.globalCompositeOperation = isDark ? "screen" : "multiply";
  const image = (panel, kind, scaleOfPanel) => drawImage(context, area, panel.counts, x.bins, y.bins, scaleOfPanel, kind);
  const own = (panel) => colourScale([panel.counts], look.scale);
  for (const panel of group) {
    if (panel.top) image(panel, { colours: tints(ink.soft), clear: 0.5 }, own(panel));
    const shown = panel.top ?? panel;
    if (isColoured) image(shown, { colours: palette(look.palette), clear: 0 }, scale);
    else image(shown, { colours: tints(colourOf(panel.file)), clear: 1 }, own(shown));
  }
  context.restore();
  for (const panel of group) {
    const colour = isColoured ? ink.accent : colourOf(panel.file);
    if (panel.top) drawMarginals(context, area, panel.counts, x.bins, y.bins, ink.faint, false);
    const shown = panel.top ?? panel;
    drawMarginals(context, area, shown.counts, x.bins, y.bins, colour, isColoured);
    if (look.contours) drawContours(context, area, shown, x.bins, y.bins, isColoured ? ink.ink : colour, ink.plot);
    if (look.ellipse) drawEllipse(context, area, shown, isColoured ? ink.ink : colour, ink.plot);
  }
  context.strokeStyle = ink.faint;
  context.strokeRect(area.x + 0.5, area.y + 0.5, area.width - 1, area.height - 1);
  drawTitle(context, box, area, group, look, ink);
  if (!look.isSample && group.every((panel) => panel.rows === 0)) drawNoRows(context, area, ink);
  return area;
}

/** Say in the middle of an area that there are no rows. */
export function drawNoRows(context, { x, y, width, height }, ink) {
  context.font = `600 15px ${ink.sans}`;
  context.fillStyle = ink.soft;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(NO_ROWS, x + width / 2, y + height / 2);
}

function tints(colour) {
  const rgb = [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16));
  return Array.from({ length: 256 }, () => rgb);
}

/** Draw the ticks and labels of both axes. */
export function drawAxes(context, area, x, y, ink) {
  context.font = `11.5px ${ink.sans}`;
  context.lineWidth = 1;
  const across = ticks(x.shown(x.low), x.shown(x.high), Math.max(3, area.width / 72));
  const up = ticks(y.shown(y.low), y.shown(y.high), Math.max(3, area.height / 55));
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const value of across.values) {
    const at = Math.round(area.fromX(x.value(value))) + 0.5;
    line(context, ink.grid, at, area.y, at, area.y + area.height);
    line(context, ink.faint, at, area.y + area.height, at, area.y + area.height + 4);
    context.fillStyle = ink.soft;
    context.fillText(across.text(value), at, area.y + area.height + 7);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const value of up.values) {
    const at = Math.round(area.fromY(y.value(value))) + 0.5;
    line(context, ink.grid, area.x, at, area.x + area.width, at);
    line(context, ink.faint, area.x - 4, at, area.x, at);
    context.fillStyle = ink.soft;
    context.fillText(up.text(value), area.x - 7, at);
  }
  context.fillStyle = ink.ink;
  context.font = `600 12.5px ${ink.sans}`;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  write(context, labelOf(x, x.unit, x.origin), area.x + area.width / 2, area.y + area.height + 38, area.width);
  context.save();
  context.translate(area.x - 50, area.y + area.height / 2);
  context.rotate(-Math.PI / 2);
  write(context, labelOf(y, y.unit, y.origin), 0, 0, area.height, { x: area.x - LEFT, y: area.y, width: 24, height: area.height });
  context.restore();
}

function line(context, colour, x0, y0, x1, y1) {
  context.strokeStyle = colour;
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

/** Return the function from counts to 0 ... 1 for some panels, with the least and the greatest count. */
function colourScale(panels, kind) {
  let least = Infinity;
  let most = 0;
  for (const counts of panels) {
    for (const one of counts) {
      if (one > most) most = one;
      if (one > 0 && one < least) least = one;
    }
  }
  if (!(most > 0)) return { least: 0, most: 0, of: () => 0 };
  if (kind === "linear") return { least: 0, most, of: (count) => count / most };
  if (kind === "equal") {
    const sorted = Float64Array.from(panels.flatMap((counts) => [...counts].filter((one) => one > 0))).sort();
    const rank = (count) => {
      let low = 0, high = sorted.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (sorted[middle] <= count) low = middle + 1; else high = middle;
      }
      return low / sorted.length;
    };
    return { least, most, of: rank, sorted };
  }
  const span = Math.log(most / least);
  return { least, most, of: (count) => (span > 0 ? Math.log(count / least) / span : 1) };
}

/** Draw counts in colours of a scale. With `clear` small counts are more transparent than great ones, which have it. */
function drawImage(context, area, counts, across, up, scale, { colours, clear }) {
  const image = new ImageData(across, up);
  const known = new Map();
  for (let i = 0; i < across; i += 1) {
    for (let j = 0; j < up; j += 1) {
      const count = counts[i * up + j];
      if (!(count > 0)) continue;
      let share = known.get(count);
      if (share === undefined) known.set(count, share = scale.of(count));
      const colour = colours[Math.max(0, Math.min(255, Math.round(share * 255)))];
      const at = ((up - 1 - j) * across + i) * 4;
      image.data[at] = colour[0];
      image.data[at + 1] = colour[1];
      image.data[at + 2] = colour[2];
      image.data[at + 3] = clear ? (50 + share * 205) * clear : 255;
    }
  }
  placeImage(context, image, area);
}

/** Draw an image over an area, each of its elements with sharp edges. */
export function placeImage(context, image, area) {
  const made = document.createElement("canvas");
  made.width = image.width;
  made.height = image.height;
  made.getContext("2d").putImageData(image, 0, 0);
  context.save();
  context.imageSmoothingEnabled = false;
  context.drawImage(made, area.x, area.y, area.width, area.height);
  context.restore();
}

/** Return the sums of counts along each axis. */
function marginals(counts, across, up) {
  const sums = [new Float64Array(across), new Float64Array(up)];
  for (let i = 0; i < across; i += 1) {
    for (let j = 0; j < up; j += 1) {
      sums[0][i] += counts[i * up + j];
      sums[1][j] += counts[i * up + j];
    }
  }
  return sums;
}

function drawMarginals(context, area, counts, across, up, colour, isFilled) {
  const [columns, rows] = marginals(counts, across, up);
  const most = [Math.max(...columns), Math.max(...rows)];
  const base = area.y - GAP;
  const side = area.x + area.width + GAP;
  const above = Array.from(columns, (sum, i) => {
    const y = base - (most[0] ? (sum / most[0]) * (area.marginal - 4) : 0);
    return [i, i + 1].map((edge) => [area.x + (edge / across) * area.width, y]);
  });
  const beside = Array.from(rows, (sum, j) => {
    const x = side + (most[1] ? (sum / most[1]) * (area.marginal - 4) : 0);
    return [j, j + 1].map((edge) => [x, area.y + area.height * (1 - edge / up)]);
  });
  for (const points of [
    [[area.x, base], ...above.flat(), [area.x + area.width, base]],
    [[side, area.y + area.height], ...beside.flat(), [side, area.y]],
  ]) {
    context.beginPath();
    trace(context, points);
    context.globalAlpha = isFilled ? 0.22 : 0.1;
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = colour;
    context.lineWidth = 1.2;
    context.stroke();
  }
}

function drawEllipse(context, area, panel, colour, around) {
  const [[xx, xy], [, yy]] = panel.covariances;
  if (!(xx >= 0 && yy >= 0)) return;
  const path = [];
  const sx = Math.sqrt(xx), sy = Math.sqrt(yy);
  const correlation = sx * sy > 0 ? xy / (sx * sy) : 0;
  const phase = Math.acos(Math.max(-1, Math.min(1, correlation)));
  for (let step = 0; step <= 120; step += 1) {
    const angle = (step / 120) * 2 * Math.PI;
    path.push([area.fromX(panel.means[0] + sx * Math.cos(angle)), area.fromY(panel.means[1] + sy * Math.cos(angle - phase))]);
  }
  const [cx, cy] = [area.fromX(panel.means[0]), area.fromY(panel.means[1])];
  path.push(null, [cx - 5, cy], [cx + 5, cy], null, [cx, cy - 5], [cx, cy + 5]);
  context.save();
  context.beginPath();
  context.rect(area.x, area.y, area.width, area.height);
  context.clip();
  context.lineJoin = "round";
  context.beginPath();
  trace(context, path);
  for (const [width, stroke] of [[4, around], [1.6, colour]]) {
    context.lineWidth = width;
    context.globalAlpha = width > 2 ? 0.65 : 1;
    context.strokeStyle = stroke;
    context.stroke();
  }
  context.restore();
}

/** Draw lines around shares of the rows, the thinner the more rows they contain. */
function drawContours(context, area, { lines }, across, up, colour, around) {
  const toPixels = (x0, y0, x1, y1) => [[x0, y0], [x1, y1]].map(([x, y]) =>
    [area.x + (x / across) * area.width, area.y + area.height * (1 - y / up)]);
  context.save();
  context.beginPath();
  context.rect(area.x, area.y, area.width, area.height);
  context.clip();
  context.lineJoin = "round";
  lines.forEach((pieces, place) => {
    context.beginPath();
    for (let at = 0; at < pieces.length; at += 4) trace(context, toPixels(...pieces.subarray(at, at + 4)));
    for (const [width, stroke, alpha] of [[3.2, around, 0.5], [1.6 - 0.3 * place, colour, 1]]) {
      context.lineWidth = width;
      context.globalAlpha = alpha;
      context.strokeStyle = stroke;
      context.stroke();
    }
  });
  context.restore();
}

/** Draw the colours of a scale at the right of a picture, with numbers and a title. */
export function drawBar(context, size, scale, look, ink, title = "rows") {
  const x = size.width - BAR + 4;
  const height = Math.min(size.height - BOTTOM - TOP - 20, 220);
  const top = size.height - BOTTOM - height;
  palette(look.palette).forEach((colour, place) => {
    context.fillStyle = `rgb(${colour.join()})`;
    context.fillRect(x, top + height * (1 - (place + 1) / 256), 10, height / 256 + 1);
  });
  context.font = `10.5px ${ink.sans}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillStyle = ink.soft;
  if (!(scale.most > scale.least) && !(scale.most > 0)) return;
  let marks = [scale.least || 0, scale.most];
  if (look.scale === "log") marks = [...powers(scale.least, scale.most), scale.most];
  let text = (count) => digits(count, 3);
  if (look.scale === "linear") ({ values: marks, text } = ticks(scale.least, scale.most, 5));
  if (look.scale === "equal") marks = [0, 0.25, 0.5, 0.75, 1].map((share) => scale.sorted[Math.max(0, Math.ceil(share * scale.sorted.length) - 1)]);
  let last = Infinity;
  for (const count of marks) {
    const at = top + height * (1 - Math.min(1, Math.max(0, scale.of(count))));
    if (last - at < 13) continue;
    last = at;
    context.fillText(text(count), x + 15, at);
  }
  context.fillText(title, x - 2, top - 10, BAR + 4);
}

/** Write the names of files and what is shown of them on one line: of several files less, or shortened names. */
function drawTitle(context, box, area, group, look, ink) {
  context.textBaseline = "middle";
  context.textAlign = "left";
  const bold = `600 12.5px ${ink.sans}`;
  const plain = `12px ${ink.sans}`;
  const wide = (font, text) => {
    context.font = font;
    return text ? context.measureText(text).width : 0;
  };
  const names = group.map((panel) => look.labels[panel.file]);
  const room = box.x + box.width - RIGHT - area.x - (group.length - 1) * BETWEEN;
  const left = room - names.reduce((sum, name) => sum + wide(bold, name), 0);
  const wanted = (kind) => group.reduce((sum, panel) => sum + NEAR + wide(plain, notesOf(panel)[kind]), 0);
  const kind = [0, 1, 2].find((one) => wanted(one) <= left);
  let x = area.x;
  group.forEach((panel, place) => {
    context.font = bold;
    context.fillStyle = group.length > 1 ? colourOf(panel.file) : ink.ink;
    x += write(context, names[place], x, box.y + 17, left < 0 ? room / group.length : Infinity);
    if (kind !== undefined) {
      context.font = plain;
      context.fillStyle = ink.soft;
      x += NEAR + write(context, notesOf(panel)[kind], x + NEAR, box.y + 17, Infinity);
    }
    x += BETWEEN;
  });
}

/** Return what is known of a panel, from more to less. */
function notesOf({ weight, inside, step, top }) {
  const rows = weight ? `sum of ${weight} ${digits(inside)}` : `${grouped(inside)} rows`;
  const place = `step ${step}`;
  const notes = [`${place}, ${rows}`, place];
  if (!top) return [...notes, place];
  const followed = `${grouped(top.rows)} followed`;
  return [`${notes[0]}, ${followed}`, `${place}, ${followed}`, place];
}
