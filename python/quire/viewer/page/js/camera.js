// From where points in space are seen: angles in degrees, and how large they are.

import { change, state } from "./state.js";

const USUAL = [-38, 22, 1];
const DISTANCE = 3.2;
const ZOOM = [0.3, 50];
/** Looking along an axis, which then points to the viewer. */
const ALONG = { x: [-90, 0], y: [0, 90], z: [0, 0] };

/** Return the turn that is shown: the angle around the vertical axis, that to it, and the zoom. */
export function turn() {
  const given = state.turn;
  return Array.isArray(given) && given.length === 3 && given.every(Number.isFinite) ? limited(given) : USUAL;
}

function limited([around, above, zoom]) {
  const within = (value, [least, most]) => Math.max(least, Math.min(most, value));
  return [((around % 360) + 360) % 360, within(above, [-90, 90]), within(zoom, ZOOM)];
}

/** Turn by angles, and zoom by a factor. */
export function move(around, above, factor = 1) {
  const [first, second, zoom] = turn();
  change({ turn: limited([first + around, second + above, zoom * factor]).map((one) => Number(one.toPrecision(6))) });
}

/** Look along an axis, from its end. */
export function look(axis) {
  change({ turn: [...ALONG[axis], turn()[2]] });
}

/**
 * Return how a cube of side 1 around the origin is seen in a picture of a size: its turn as the rows of a matrix,
 * and `place`, which returns the pixel of a point of it, and how near that is.
 */
export function camera({ width, height }) {
  const [around, above, zoom] = turn();
  const [ca, sa, cb, sb] = [around, above].flatMap((one) => [Math.cos((one * Math.PI) / 180), Math.sin((one * Math.PI) / 180)]);
  const rows = [[ca, 0, sa], [sb * sa, cb, -sb * ca], [-cb * sa, sb, cb * ca]];
  const scale = Math.min(width * 0.46, height * 0.52) * zoom * DISTANCE;
  const centre = { x: width * 0.5, y: height * 0.49 };
  const place = (point) => {
    const [right, up, near] = rows.map((row) => row.reduce((sum, one, axis) => sum + one * point[axis], 0));
    const depth = DISTANCE - near;
    return { x: centre.x + (right * scale) / depth, y: centre.y - (up * scale) / depth, near };
  };
  return { rows, scale, centre, distance: DISTANCE, place };
}

/** What shaders of vertices say to put a place in the box of all points on the picture, as the camera sees it. */
export const PROJECTION = `
uniform vec3 right, up, near;
uniform vec2 scale, centre;
uniform float distance_;
vec4 projected(vec3 place) {
  vec3 from = place - 0.5;
  float depth = distance_ - dot(near, from);
  return vec4(vec2(dot(right, from), dot(up, from)) * scale + centre * depth, depth - distance_, depth);
}`;
