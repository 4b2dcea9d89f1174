// The view of points in space: a sample of the rows, which can be turned.

import { compute } from "./api.js";
import { drawLabels, drawPlanes, scaled } from "./axes_box.js";
import { camera, move } from "./camera.js";
import { drawBar, drawNoRows, drawOn } from "./density.js";
import { chosen, files, request, sources } from "./files.js";
import { colourOf, CONTRAST } from "./palettes.js";
import { scaleOf } from "./plane_image.js";
import { KINDS, Points, whyNot } from "./points_gl.js";
import { change, state } from "./state.js";
import { axisScale, grouped, labelOf, written } from "./units.js";
import { write } from "./labels.js";
import { barTitle, fieldAsked, showComponents } from "./view_fields.js";

const BAR = 54;
const DEGREES = 0.4;
let frame = null;
let canvas = null;
let cloud = null;
let planes = [];
let isMoving = false;

/** Show points along the chosen axes. */
export async function refresh(shell) {
  const [x, y, z] = chosen.space();
  const ofField = state.withField ? { ...fieldAsked(), withField: true, planes: state.planes } : {};
  const body = { ...request(), x, y, z, colour: state.colour, ...ofField };
  return compute("plot", "points", body, (one) => {
    if (one.kind === "progress") shell.progress(one.share);
    if (one.kind !== "points") return;
    frame = { ...one, ofRows: body.followed ? "followed rows" : "rows" };
    planes = planesOf();
    cloud?.keep(clouds(), planes);
    draw(shell);
    showControls();
    shell.note(noteOf());
  });
}

/** Return the points of each file. */
function clouds() {
  return frame.arrays.slice(0, frame.panels.length);
}

/** Return the planes of the field; all have the same colours. */
function planesOf() {
  const arrays = frame.arrays.slice(frame.panels.length);
  const found = (frame.field?.planes ?? []).map((plane, place) => {
    const [{ values, shape }, ...edges] = arrays.slice(3 * place, 3 * place + 3);
    return { ...plane, values, shape, edges: edges.map((one) => one.values) };
  });
  const limits = found.map((plane) => scaleOf(plane.values));
  const scale = scaleOf(limits.flatMap(({ least, most }) => [least, most]));
  return found.map((plane) => ({ ...plane, scale }));
}

/** Show a slider for each plane. */
function showControls() {
  if (!frame.field || frame.field.error) return;
  document.getElementById("planes").value = frame.field.slices;
  showComponents(frame.field.components);
  const holder = document.getElementById("plane-sliders");
  const names = frame.field.planes.map((one) => one.name);
  if (holder.dataset.names !== names.join()) {
    holder.dataset.names = names.join();
    holder.replaceChildren(...names.map((name) => {
      const row = Object.assign(document.createElement("label"), { className: "row" });
      const slider = Object.assign(document.createElement("input"), { type: "range", min: "0" });
      slider.addEventListener("input", movePlanes);
      row.append(Object.assign(document.createElement("span"), { textContent: name }), slider);
      return row;
    }));
  }
  holder.querySelectorAll("input").forEach((slider, place) => {
    slider.max = String(frame.field.planes[place].nodes - 1);
    slider.value = String(frame.field.planes[place].node);
  });
}

function movePlanes(event) {
  const slices = frame.field.slices.split(",");
  const place = [...document.querySelectorAll("#plane-sliders input")].indexOf(event.target);
  slices[place] = `${frame.field.planes[place].name}=@${event.target.value}`;
  change({ planes: slices.join() });
}

/** Return what of the field is shown. */
function fieldNote() {
  if (!planes.length) return "";
  const places = planes.map(({ name, position, unit }) => `${name} = ${written(position, unit)}`).join(", ");
  return `${frame.field.value.name} at ${places}`;
}

function sum(name) {
  return frame.panels.reduce((total, panel) => total + panel[name], 0);
}

function noteOf() {
  const left = sum("points") - sum("drawable");
  const others = left ? `, ${grouped(left)} without a place (NaN, infinite)` : "";
  const most = cloud.mostCounted();
  const limit = Number.isFinite(most) ? `; the graphics of this machine count at most ${grouped(most)} points on a pixel` : "";
  const field = fieldNote();
  return `${sampleOf({ points: sum("points"), rows: sum("rows") })}${others}${limit}${field && `; ${field}`}`;
}

/** Return how many of the rows that the cut selects, or of those of them that are followed, are drawn. */
function sampleOf({ points, rows }) {
  return `${points < rows ? `sample of ${grouped(points)} of ` : ""}${grouped(rows)} ${frame.ofRows}`;
}

/** Draw the last points again, for another size, look or direction. */
export function draw(shell) {
  if (!frame) return;
  if (!canvas) connect(shell);
  shell.show(canvas.holder);
  if (!cloud || cloud.isLost) {
    cloud = new Points();
    cloud.keep(clouds(), planes);
  }
  canvas.setAttribute("aria-label", `points of ${frame.axes.map((axis) => axis.name).join(", ")}`);
  const size = shell.size();
  const seen = camera({ width: size.width - BAR, height: size.height });
  // Over a plane, which has the colours of the palette, points have others.
  const isTinted = frame.panels.length > 1 || planes.length > 0;
  const kind = frame.colour ? KINDS.value : isTinted ? KINDS.file : KINDS.density;
  const most = cloud.draw({
    size, ratio: window.devicePixelRatio || 1, camera: seen, kind, colours: state.palette, isMoving,
    tints: frame.panels.length > 1 ? frame.panels.map((panel) => [1, 3, 5].map((at) => parseInt(colourOf(panel.file).slice(at, at + 2), 16) / 255))
      : [CONTRAST[state.palette].map((part) => part / 255)],
  });
  const axes = scaled(frame.axes, size);
  drawOn(canvas, size, (context, ink) => {
    drawPlanes(context, seen, axes, ink);
    context.drawImage(cloud.canvas, 0, 0, size.width, size.height);
    drawLabels(context, seen, axes, size, ink);
    drawTitle(context, size, ink);
    drawScale(context, size, kind, most, ink);
    if (sum("rows") === 0) drawNoRows(context, { x: 0, y: 0, ...size }, ink);
    drawFieldScale(context, size, kind, ink);
  });
}

function drawTitle(context, size, ink) {
  context.textBaseline = "middle";
  context.textAlign = "left";
  let x = 16;
  for (const panel of frame.panels) {
    const parts = [[`600 12.5px ${ink.sans}`, frame.panels.length > 1 && !frame.colour ? colourOf(panel.file) : ink.ink, files[panel.file].label],
      [`12px ${ink.sans}`, ink.soft, `step ${panel.step}, ${sampleOf(panel)}`]];
    for (const [font, colour, text] of parts) {
      const room = size.width - x - 16;
      if (room < 40) return;
      [context.font, context.fillStyle] = [font, colour];
      x += write(context, text, x, 17, room) + 8;
    }
    x += 14;
  }
}

/** Draw what the colours of the planes are: above those of the points, if these have some. */
function drawFieldScale(context, size, kind, ink) {
  if (!planes.length) return;
  const height = kind === KINDS.value ? size.height / 2 : size.height;
  drawBar(context, { ...size, height }, planes[0].scale, { scale: "linear", palette: state.palette }, ink, barTitle(frame.field.value));
}

/** Draw what the colours are: a quantity, or how many points are on a pixel. */
function drawScale(context, size, kind, most, ink) {
  if (kind === KINDS.density) {
    const of = (count) => Math.log(1 + count) / Math.log(1 + most);
    drawBar(context, size, { least: 1, most, of }, { scale: "log", palette: state.palette }, ink, "points");
  }
  if (kind !== KINDS.value) return;
  const { low, high, unit } = frame.colour;
  const scale = axisScale(low, high, unit);
  const [least, greatest] = [scale.shown(low), scale.shown(high)];
  const of = (value) => (value - least) / (greatest - least);
  drawBar(context, size, { least, most: greatest, of }, { scale: "linear", palette: state.palette }, ink, "");
  context.save();
  context.textAlign = "right";
  context.font = `600 12px ${ink.sans}`;
  context.fillStyle = ink.ink;
  write(context, labelOf(frame.colour, scale.unit, scale.origin), size.width - 12, size.height - 22, size.width / 2);
  context.restore();
}

/** Let pointers turn and zoom. */
function connect(shell) {
  canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.holder = document.createElement("div");
  canvas.holder.style.cssText = "position:absolute;inset:0;cursor:grab;touch-action:none";
  canvas.holder.append(canvas);
  const pointers = new Map();
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  canvas.holder.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.holder.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    isMoving = true;
  });
  canvas.holder.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const was = pointers.size === 2 ? spread() : 0;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pointers.size === 2) move(0, 0, spread() / Math.max(was, 1));
    else move((event.clientX - before.x) * DEGREES, (event.clientY - before.y) * DEGREES);
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.holder.addEventListener(name, (event) => {
      if (!pointers.delete(event.pointerId) || pointers.size) return;
      isMoving = false;
      draw(shell);
    });
  }
  canvas.holder.addEventListener("wheel", (event) => {
    event.preventDefault();
    move(0, 0, Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)));
  }, { passive: false });
}

/** Return what is wrong with files that are not shown. */
export function failed() {
  return [...frame.failed.map((one) => one.error), ...(frame.field?.error ? [frame.field.error] : [])];
}

/** Return the numbers of the files of the picture. */
export function filesOf() {
  return frame.panels.map((one) => one.file);
}

/** Return the picture. */
export function picture() {
  return canvas;
}

/** Return the columns of what is drawn: the places of the points, and what colours them. */
export function numbers() {
  const parts = [...frame.axes, ...(frame.colour ? [frame.colour] : [])];
  const places = frame.panels.flatMap((panel, place) => {
    const { shape: [count, width], values } = frame.arrays[place];
    return Array.from({ length: count }, (_, row) => ({ panel, values: values.subarray(row * width, (row + 1) * width) }));
  });
  const placed = ({ low, high }, value) => Number((low + value * (high - low)).toPrecision(7));
  return [
    { name: "file", values: places.map(({ panel }) => files[panel.file].path) },
    { name: "step", isWhole: true, values: places.map(({ panel }) => panel.step) },
    ...parts.map((part, at) => ({ ...part, values: places.map(({ values }) => placed(part, values[at])) })),
  ];
}

/** Return why nothing can be drawn. */
export function reason() {
  if (!sources().length) return "Tick a file to show it.";
  if (!chosen.space().every(Boolean)) return "This step has no three columns of numbers.";
  return whyNot();
}
