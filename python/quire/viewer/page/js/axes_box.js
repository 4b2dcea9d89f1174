// The box of the axes around points in space: planes with a grid after the points, and edges with ticks.

import { fitted, write } from "./labels.js";
import { ticks } from "./ticks.js";
import { axisScale, labelOf } from "./units.js";

const NEAR = 1e-6;
const LEAST_EDGE = 50;
/** How far numbers and names of axes are from their edge, in pixels. */
const [NUMBERS, NAMES] = [16, 40];
/** How far names are at least from the edge of the picture, and from numbers on the same place. */
const [EDGE, ABOVE] = [4, 18];

/** Return the axes with their scales and ticks, for drawing. */
export function scaled(axes, size) {
  const wanted = Math.max(3, Math.min(size.width, size.height) / 110);
  return axes.map((axis) => {
    const scale = axisScale(axis.low, axis.high, axis.unit);
    const { values, text } = ticks(scale.shown(axis.low), scale.shown(axis.high), wanted);
    const marks = values.map((value) => ({ at: (scale.value(value) - axis.low) / (axis.high - axis.low) - 0.5, text: text(value) }));
    return { marks, label: labelOf(axis, scale.unit, scale.origin) };
  });
}

/** Return the faces of the cube: the axis that is constant, on which side, and whether the outside is seen. */
function faces(camera) {
  return [0, 1, 2].flatMap((axis) => [-0.5, 0.5].map((side) => {
    const normal = [0, 0, 0];
    normal[axis] = Math.sign(side);
    const centre = normal.map((one) => one / 2);
    // The viewer is at the distance along the third row; in perspective the side decides, not the direction.
    const facing = camera.rows[2].reduce((sum, one, place) => sum + one * normal[place], 0) * camera.distance
      - centre.reduce((sum, one, place) => sum + one * normal[place], 0);
    return { axis, side, isFront: facing > NEAR };
  }));
}

function line(context, camera, first, last) {
  const [a, b] = [camera.place(first), camera.place(last)];
  context.beginPath();
  context.moveTo(a.x, a.y);
  context.lineTo(b.x, b.y);
  context.stroke();
}

/** Return a point by the values of two axes, and that of the third. */
function point(axis, value, side, other) {
  const found = [0, 0, 0];
  found[axis] = value;
  const [first, last] = [0, 1, 2].filter((one) => one !== axis);
  [found[first], found[last]] = [side, other];
  return found;
}

/** Draw the planes after the points: those whose inside is seen. */
export function drawPlanes(context, camera, axes, ink) {
  for (const { axis, side } of faces(camera).filter((one) => !one.isFront)) {
    const [first, last] = [0, 1, 2].filter((one) => one !== axis);
    const corner = (u, v) => {
      const found = [side, side, side];
      [found[first], found[last]] = [u, v];
      return found;
    };
    context.lineWidth = 1;
    context.strokeStyle = ink.grid;
    for (const mark of axes[first].marks) line(context, camera, corner(mark.at, -0.5), corner(mark.at, 0.5));
    for (const mark of axes[last].marks) line(context, camera, corner(-0.5, mark.at), corner(0.5, mark.at));
    context.strokeStyle = ink.faint;
    for (const one of [-0.5, 0.5]) {
      line(context, camera, corner(one, -0.5), corner(one, 0.5));
      line(context, camera, corner(-0.5, one), corner(0.5, one));
    }
  }
}

/** Draw the ticks, numbers and names of the axes, each at an edge between a plane that is seen and one that is not. */
export function drawLabels(context, camera, axes, size, ink) {
  const seen = new Map(faces(camera).map(({ axis, side, isFront }) => [`${axis},${side}`, isFront]));
  const centre = camera.place([0, 0, 0]);
  axes.forEach((axis, place) => {
    const [first, last] = [0, 1, 2].filter((one) => one !== place);
    const edges = [-0.5, 0.5].flatMap((u) => [-0.5, 0.5].map((v) => ({ u, v })))
      .filter(({ u, v }) => seen.get(`${first},${u}`) !== seen.get(`${last},${v}`))
      .map(({ u, v }) => {
        const at = (value) => camera.place(point(place, value, u, v));
        const [a, b] = [at(-0.5), at(0.5)];
        return { at, length: Math.hypot(b.x - a.x, b.y - a.y), middle: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }, a, b };
      })
      .filter((edge) => edge.length >= LEAST_EDGE);
    if (!edges.length) return;
    // The vertical axis is at the left, the others are at the bottom.
    const chosen = edges.reduce((best, one) => (rank(one, place) < rank(best, place) ? one : best));
    drawEdge(context, chosen, axis, outwards(chosen, centre), size, ink);
  });
}

function rank({ middle }, axis) {
  return axis === 1 ? middle.x : -middle.y;
}

/** Return the direction across an edge, away from the middle of the picture. */
function outwards({ a, b, middle }, centre) {
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  const across = { x: (b.y - a.y) / length, y: (a.x - b.x) / length };
  const isOut = across.x * (middle.x - centre.x) + across.y * (middle.y - centre.y) >= 0;
  return isOut ? across : { x: -across.x, y: -across.y };
}

function drawEdge(context, edge, axis, out, size, ink) {
  context.strokeStyle = ink.soft;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(edge.a.x, edge.a.y);
  context.lineTo(edge.b.x, edge.b.y);
  context.stroke();
  context.font = `11.5px ${ink.sans}`;
  context.textBaseline = "middle";
  // Texts beside an edge begin or end at it.
  context.textAlign = out.x > 0.5 ? "left" : out.x < -0.5 ? "right" : "center";
  const near = Math.abs(out.x) > 0.5 ? 9 : NUMBERS;
  let [last, widest] = [null, 0];
  for (const mark of axis.marks) {
    const at = edge.at(mark.at);
    context.strokeStyle = ink.soft;
    context.beginPath();
    context.moveTo(at.x, at.y);
    context.lineTo(at.x + out.x * 5, at.y + out.y * 5);
    context.stroke();
    const { width } = context.measureText(mark.text);
    if (last && Math.abs(at.y - last.y) < 14 && Math.abs(at.x - last.x) < width + 8) continue;
    last = at;
    widest = Math.max(widest, width);
    context.fillStyle = ink.soft;
    context.fillText(mark.text, at.x + out.x * near, at.y + out.y * near);
  }
  context.font = `600 12.5px ${ink.sans}`;
  context.fillStyle = ink.ink;
  const away = Math.abs(out.x) > 0.5 ? widest + near + 14 : NAMES;
  const label = fitted(context, axis.label, size.width - 2 * EDGE);
  const { width } = context.measureText(label);
  const room = { left: 0, center: width / 2, right: width }[context.textAlign] + EDGE;
  // In a narrow picture the name is near the numbers.
  const x = Math.max(room, Math.min(size.width - (width - room) - 2 * EDGE, edge.middle.x + out.x * away));
  write(context, axis.label, x, edge.middle.y + out.y * away + (x > edge.middle.x + out.x * away ? -ABOVE : 0), size.width - 2 * EDGE);
}
