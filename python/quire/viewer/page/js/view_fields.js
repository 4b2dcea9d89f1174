// The view of fields: a plane as colours, or a line.

import { compute } from "./api.js";
import { chart, titleOf } from "./charts.js";
import { write } from "./labels.js";
import { areaOf, drawAxes, drawBar, drawOn, placeImage } from "./density.js";
import { fieldNames, files, request, sources } from "./files.js";
import { marked } from "./marks.js";
import { colourOf, CONTRAST } from "./palettes.js";
import { cellOf, imageOfCells, scaleOf } from "./plane_image.js";
import { change, state } from "./state.js";
import { axisScale, digits, grouped, written, writtenWithin } from "./units.js";

const BAR = 64;
let frame = null;
let particles = null;
let area = null;
let shown = null;

/** Show the chosen part of the field of the first file. */
export async function refresh(shell) {
  const near = state.onField ? { particles: true, thickness: state.thickness } : {};
  const body = { ...request(), sources: sources().slice(0, 1), ...fieldAsked(), at: state.at, ...near };
  return compute("plot", "field", body, (one) => {
    if (one.kind === "progress") shell.progress(one.share);
    else if (one.kind === "field") [frame, particles] = [one, null];
    else if (one.kind === "particles") particles = one;
    else return;
    draw(shell);
    showControls();
    shell.note(`${particlesNote()}${frame.axes.map((axis) => axis.nodes).join(" x ")} values`);
  });
}

/** Return the title of the colours of a field. */
export function barTitle({ name, unit }) {
  return unit && unit !== "1" ? unit : name;
}

/** Offer the components of a field. */
export function showComponents(count) {
  const names = ["", ...Array.from({ length: count > 1 ? count : 0 }, (_, one) => String(one))];
  const box = document.getElementById("component");
  box.replaceChildren(...names.map((one) => new Option(one || "magnitude", one)));
  box.value = state.component;
  document.getElementById("component-row").hidden = count < 2;
}

/** Return which field is asked for. */
export function fieldAsked() {
  return { field: state.field || fieldNames()[0], component: state.component === "" ? null : Number(state.component) };
}

/** Show the slice and the components in the controls. */
function showControls() {
  const slice = document.getElementById("slice");
  document.getElementById("at").value = frame.slices;
  const [axis] = frame.at;
  document.getElementById("slice-row").hidden = frame.at.length !== 1;
  if (frame.at.length === 1) {
    slice.max = String(axis.nodes - 1);
    const place = frame.slices.split("=@")[1];
    if (place !== undefined) slice.value = place;
    slice.dataset.axis = axis.name;
  }
  showComponents(frame.components);
}

document.getElementById("slice").addEventListener("input", (event) => change({ at: `${event.target.dataset.axis}=@${event.target.value}` }));
document.getElementById("at").addEventListener("change", (event) => change({ at: event.target.value.trim() }));
document.getElementById("component").addEventListener("change", (event) => change({ component: event.target.value }));
document.getElementById("field").addEventListener("change", (event) => change({ field: event.target.value, at: "", planes: "", component: "" }));

/** Return what is wrong with the particles over the plane. */
export function failed() {
  return particles?.error ? [particles.error] : [];
}

/** Return which particles are over the plane. */
function particlesNote() {
  if (!particles || particles.error) return "";
  const [normal] = frame.at;
  const unit = normal?.unit || particles.unit;
  const within = ([low, high]) => `${normal.name} from ${written(low, unit)} to ${written(high, unit)}`;
  const which = `${state.followed ? "followed " : ""}particles${particles.slab ? ` with ${within(particles.slab)}` : ""}`;
  const others = particles.elsewhere ? `; they have ${within(particles.elsewhere)}` : "";
  const assumed = particles.assumed.length ? `, if ${particles.assumed.join(", ")} of the field ${particles.assumed.length > 1 ? "are" : "is"} in ${marked(particles.unit)}` : "";
  return `${grouped(particles.count)} of ${grouped(particles.tableRows)} ${which}${others}${assumed}; `;
}

/** Draw the last part again. */
export function draw(shell) {
  if (!frame) return;
  if (frame.axes.length === 1) drawLine(shell); else drawPlane(shell);
}

/** Return what is drawn: the field, and where. */
function title() {
  const place = frame.at.map((axis) => `${axis.name} = ${written(axis.position, axis.unit)}`).join(", ");
  return `${frame.value.name}${place ? ` at ${place}` : ""}, step ${frame.step}`;
}

function drawLine(shell) {
  const [values, , positions] = frame.arrays.map((one) => one.values);
  shown = document.createElement("div");
  shown.className = "charts";
  const colour = colourOf(0);
  shown.append(titleOf([{ label: title(), colour }]));
  shell.show(shown);
  const { width, height } = shell.size();
  chart(shown, { size: { width: width - 20, height: height - 44 }, xs: positions, x: frame.axes[0], y: frame.value,
    curves: [{ label: frame.value.name, colour, values }], isLog: state.logy });
}

function drawPlane(shell) {
  const holder = document.createElement("div");
  holder.style.cssText = "position:absolute;inset:0";
  shown = document.createElement("canvas");
  shown.setAttribute("role", "img");
  shown.setAttribute("aria-label", `field ${frame.value.name}`);
  holder.append(shown);
  shell.show(holder);
  const size = shell.size();
  const axes = drawOn(shown, size, (context, ink) => paintPlane(context, ink, size));
  holder.addEventListener("pointerleave", () => shell.read(""));
  holder.addEventListener("pointermove", (event) => {
    const around = holder.getBoundingClientRect();
    shell.read(readAt(axes, event.clientX - around.x, event.clientY - around.y));
  });
}

function paintPlane(context, ink, size) {
  const [up, across] = frame.axes;
  const [values, upEdges, acrossEdges] = frame.arrays.map((one) => one.values);
  const [x, y] = [[across, acrossEdges], [up, upEdges]].map(([axis, edges]) => {
    const [low, high] = [Math.min(edges[0], edges.at(-1)), Math.max(edges[0], edges.at(-1))];
    return { ...axis, low, high, edges, ...axisScale(low, high, axis.unit) };
  });
  area = areaOf({ x: 0, y: 0, width: size.width - BAR, height: size.height }, x, y, 0, []);
  drawAxes(context, area, x, y, ink);
  context.textBaseline = "middle";
  context.textAlign = "left";
  const after = area.x + write(context, files[frame.file].label, area.x, 17, area.width * 0.6) + 8;
  context.font = `12px ${ink.sans}`;
  context.fillStyle = ink.soft;
  write(context, title(), after, 17, size.width - after - 8);
  const scale = scaleOf(values);
  placeImage(context, imageOf(values, across.nodes, x, y, scale), area);
  if (particles?.count) placeImage(context, imageOfParticles(), area);
  context.strokeStyle = ink.faint;
  context.lineWidth = 1;
  context.strokeRect(area.x + 0.5, area.y + 0.5, area.width - 1, area.height - 1);
  drawBar(context, size, scale, { scale: "linear", palette: state.palette }, ink, barTitle(frame.value));
  return { x, y };
}

/** Return the image of a plane. Nodes may be at any distance. */
function imageOf(values, stride, x, y, scale) {
  const columns = Array.from({ length: Math.round(area.width) }, (_, pixel) => cellOf(x.edges, area.toX(area.x + pixel + 0.5)));
  const rows = Array.from({ length: Math.round(area.height) }, (_, pixel) => cellOf(y.edges, area.toY(area.y + pixel + 0.5)));
  return imageOfCells(values, stride, columns, rows, scale, state.palette);
}

/** Return the image of particles: bins of a colour that the palette does not have, the more opaque the more rows. */
function imageOfParticles() {
  const { bins } = particles;
  const { values } = particles.arrays[0];
  const most = values.reduce((one, other) => Math.max(one, other), 0);
  const image = new ImageData(bins, bins);
  values.forEach((count, index) => {
    if (!count) return;
    const [i, j] = [Math.floor(index / bins), index % bins];
    const share = most > 1 ? Math.log(count) / Math.log(most) : 1;
    image.data.set([...CONTRAST[state.palette], 185 + 70 * share], ((bins - 1 - j) * bins + i) * 4);
  });
  return image;
}

function countAt(across, up) {
  if (!particles?.count) return "";
  const { bins, arrays: [{ values }] } = particles;
  const place = (value, edges) => {
    const [low, high] = [Math.min(edges[0], edges.at(-1)), Math.max(edges[0], edges.at(-1))];
    return Math.max(0, Math.min(bins - 1, Math.floor(((value - low) / (high - low)) * bins)));
  };
  return `,  particles = ${values[place(across.value, across.edges) * bins + place(up.value, up.edges)]}`;
}

function readAt({ x, y }, px, py) {
  if (!(px >= area.x && px < area.x + area.width && py >= area.y && py < area.y + area.height)) return "";
  const [across, up] = [area.toX(px), area.toY(py)];
  const value = frame.arrays[0].values[cellOf(y.edges, up) * x.nodes + cellOf(x.edges, across)];
  return `${x.name} = ${writtenWithin(across, frame.axes[1].unit, x.low, x.high)},  ${y.name} = ${writtenWithin(up, frame.axes[0].unit, y.low, y.high)}:  `
    + `${frame.value.name} = ${digits(value, 6)} ${frame.value.unit}${countAt({ value: across, edges: x.edges }, { value: up, edges: y.edges })}`;
}

/** Return the numbers of the files of the picture. */
export function filesOf() {
  return [frame.file];
}

/** Return the picture. */
export function picture() {
  return shown;
}

/** Return the numbers as columns. */
export function numbers() {
  const [values, ...others] = frame.arrays.map((one) => Array.from(one.values));
  const [up, across] = others.slice(frame.axes.length);
  const places = frame.axes.length === 1 ? [up]
    : [values.map((_, index) => up[Math.floor(index / across.length)]), values.map((_, index) => across[index % across.length])];
  return [...frame.axes.map((axis, place) => ({ ...axis, values: places[place] })), { ...frame.value, values }];
}

/** Return the slices that are shown, for the command. */
export function slices() {
  return frame?.slices ?? "";
}

/** Return what the command of the field does not draw: the particles, which have one of their own. */
export function overlay() {
  if (!particles?.count || !state.onField) return null;
  const [up, across] = frame.axes;
  return { names: [across.name, up.name], where: particles.where, bins: particles.bins, limits: particles.limits };
}

/** Return why nothing can be drawn. */
export function reason() {
  if (!sources().length) return "Tick a file to show it.";
  return fieldNames().length ? "" : "This step has no field.";
}
