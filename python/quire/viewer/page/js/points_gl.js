// Points in space by WebGL. Those on one pixel are added, so that the picture shows how many there are, in any
// order and on any background: first sums are drawn, then their colours. Planes of a field hide points after them.

import { PROJECTION } from "./camera.js";
import { palette } from "./palettes.js";
import { Planes } from "./planes_gl.js";

const POINTS = `#version 300 es
in vec3 place;
in float value;
uniform float size;
out float shown;
${PROJECTION}
void main() {
  gl_Position = projected(place);
  gl_PointSize = size;
  shown = clamp(value, 0.0, 1.0);
}`;

const SUMS = `#version 300 es
precision highp float;
in float shown;
uniform vec3 tint;
uniform bool hasTint;
out vec4 sum;
void main() {
  vec2 off = 2.0 * gl_PointCoord - 1.0;
  float weight = max(0.0, 1.0 - dot(off, off));
  sum = vec4(hasTint ? tint : vec3(shown, 0.0, 0.0), 1.0) * weight;
}`;

const WHOLE = `#version 300 es
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }`;

const COLOURS = `#version 300 es
precision highp float;
uniform highp sampler2D sums;
uniform sampler2D palette;
uniform int kind;
uniform float most;
out vec4 colour;
vec3 of(float share) { return texture(palette, vec2((clamp(share, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb; }
void main() {
  vec4 sum = texelFetch(sums, ivec2(gl_FragCoord.xy), 0);
  if (sum.a <= 0.0) { colour = vec4(0.0); return; }
  float share = log(1.0 + sum.a) / log(1.0 + most);
  float cover = min(1.0, 1.4 * sum.a) * (kind == 0 ? 1.0 : 0.45 + 0.55 * min(share, 1.0));
  vec3 mean = sum.rgb / sum.a;
  colour = vec4((kind == 0 ? of(share) : kind == 1 ? of(mean.r) : mean) * cover, cover);
}`;

/** How points get their colours: by their number on a pixel, by the mean of their values there, or by file. */
export const KINDS = { density: 0, value: 1, file: 2 };

function context(canvas) {
  return canvas.getContext("webgl2", { alpha: true, antialias: false, preserveDrawingBuffer: true });
}

let known = null;

/** Return why the browser cannot draw points, empty if it can. */
export function whyNot() {
  if (known === null) {
    const gl = context(document.createElement("canvas"));
    known = !gl ? "This browser has no WebGL 2, which the 3-D view needs." : formatsOf(gl).some((one) => canHold(gl, targetOf(gl), one, 1, 1)) ? ""
      : "The graphics of this machine cannot add points, which the 3-D view needs.";
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
  }
  return known && `${known} Phase space shows two axes without it.`;
}

/** Return the formats of sums that there may be, the best first: numbers of 32 bits, and of 16, which stop at 2048. */
function formatsOf(gl) {
  const isFloat = gl.getExtension("EXT_color_buffer_float");
  const whole = { inside: gl.RGBA32F, type: gl.FLOAT, most: Infinity };
  const half = { inside: gl.RGBA16F, type: gl.HALF_FLOAT, most: 2048 };
  return [
    ...(isFloat && gl.getExtension("EXT_float_blend") ? [whole] : []),
    ...(isFloat || gl.getExtension("EXT_color_buffer_half_float") ? [half] : []),
  ];
}

/** Return a texture of sums, and what draws into it. */
function targetOf(gl) {
  return { sums: gl.createTexture(), depths: gl.createRenderbuffer(), frame: gl.createFramebuffer() };
}

/** Give a texture a format and a size, and return whether sums can be drawn into it. */
function canHold(gl, { sums, depths, frame }, { inside, type }, width, height) {
  gl.bindTexture(gl.TEXTURE_2D, sums);
  gl.texImage2D(gl.TEXTURE_2D, 0, inside, width, height, 0, gl.RGBA, type, null);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, sums, 0);
  gl.bindRenderbuffer(gl.RENDERBUFFER, depths);
  gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, width, height);
  gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depths);
  return gl.checkFramebufferStatus(gl.FRAMEBUFFER) === gl.FRAMEBUFFER_COMPLETE || gl.isContextLost();
}

/** Draws points into a canvas of its own. */
export class Points {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.isLost = false;
    this.canvas.addEventListener("webglcontextlost", () => { this.isLost = true; });
    this.gl = context(this.canvas);
    this.formats = formatsOf(this.gl);
    this.target = targetOf(this.gl);
    this.points = this.program(POINTS, SUMS, ["place", "value"]);
    this.colours = this.program(WHOLE, COLOURS, []);
    this.planes = new Planes(this.gl, (...parts) => this.program(...parts));
    this.palette = this.gl.createTexture();
    this.clouds = [];
    this.most = 1;
  }

  program(vertex, fragment, names) {
    const { gl } = this;
    const made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    names.forEach((name, number) => gl.bindAttribLocation(made, number, name));
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(made));
    return { made, of: (name) => gl.getUniformLocation(made, name) };
  }

  /** Keep the points of files: arrays of shape [points, 3] or [points, 4]; and planes of a field. */
  keep(arrays, planes = []) {
    this.planes.keep(planes);
    const { gl } = this;
    for (const one of this.clouds) gl.deleteBuffer(one.buffer);
    this.clouds = arrays.map(({ shape, values }) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      return { buffer, count: shape[0], parts: shape[1] };
    });
  }

  /** Draw the points for a picture of a size, and return the greatest number of them on a pixel. */
  draw({ size, ratio, camera, kind, colours, tints, isMoving }) {
    this.resize(Math.round(size.width * ratio), Math.round(size.height * ratio));
    const place = (program) => this.place(program, size, camera);
    this.drawSums(place, colours, ratio * sizeOfPoints(this.clouds), kind === KINDS.file ? tints : []);
    if (!isMoving) this.most = Math.max(1, this.greatest());
    this.drawColours(place, kind, colours);
    return this.most;
  }

  resize(width, height) {
    const { gl, canvas } = this;
    if (canvas.width === width && canvas.height === height && this.format) return;
    [canvas.width, canvas.height] = [width, height];
    this.format = this.formats.find((one) => canHold(gl, this.target, one, width, height));
    if (!this.format) throw new Error(`The graphics of this machine cannot add points in a picture of ${width} x ${height} pixels: make the window smaller.`);
  }

  /** Return the number of points on a pixel above which no more are counted. */
  mostCounted() {
    return this.format.most;
  }

  /** Use a program, with the camera. */
  place(program, size, { rows, scale, centre, distance }) {
    const { gl } = this;
    gl.useProgram(program.made);
    ["right", "up", "near"].forEach((name, row) => gl.uniform3fv(program.of(name), rows[row]));
    gl.uniform2f(program.of("scale"), (2 * scale) / size.width, (2 * scale) / size.height);
    gl.uniform2f(program.of("centre"), (2 * centre.x) / size.width - 1, 1 - (2 * centre.y) / size.height);
    gl.uniform1f(program.of("distance_"), distance);
  }

  /** Draw into a frame of the size of the picture, which is cleared. */
  begin(frame) {
    const { gl, canvas } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.depthMask(false);
  }

  drawSums(place, name, pixels, tints) {
    const { gl, points } = this;
    this.begin(this.target.frame);
    this.planes.draw(place, name, true);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    place(points);
    gl.uniform1f(points.of("size"), pixels);
    gl.uniform1i(points.of("hasTint"), tints.length ? 1 : 0);
    this.clouds.forEach(({ buffer, count, parts }, place) => {
      if (tints.length) gl.uniform3fv(points.of("tint"), tints[place]);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 4 * parts, 0);
      if (parts > 3) gl.enableVertexAttribArray(1); else gl.disableVertexAttribArray(1);
      if (parts > 3) gl.vertexAttribPointer(1, 1, gl.FLOAT, false, 4 * parts, 12);
      gl.drawArrays(gl.POINTS, 0, count);
    });
    gl.disable(gl.BLEND);
    gl.disable(gl.DEPTH_TEST);
  }

  /** Return the greatest sum of weights. */
  greatest() {
    const { gl, canvas } = this;
    const found = new Float32Array(canvas.width * canvas.height * 4);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.FLOAT, found);
    let most = 0;
    for (let at = 3; at < found.length; at += 4) if (found[at] > most) most = found[at];
    return most;
  }

  drawColours(place, kind, name) {
    const { gl, colours } = this;
    this.begin(null);
    this.planes.draw(place, name, false);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(colours.made);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.palette);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, Uint8Array.from(palette(name).flatMap((one) => [...one, 255])));
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.target.sums);
    gl.uniform1i(colours.of("sums"), 0);
    gl.uniform1i(colours.of("palette"), 1);
    gl.uniform1i(colours.of("kind"), kind);
    gl.uniform1f(colours.of("most"), this.most);
    gl.disableVertexAttribArray(0);
    gl.disableVertexAttribArray(1);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.disable(gl.BLEND);
  }
}

/** Return the size of a point in pixels of the page: few are larger. */
function sizeOfPoints(clouds) {
  const count = clouds.reduce((sum, one) => sum + one.count, 0);
  return Math.max(2.6, Math.min(8, 2.6 * (200_000 / Math.max(count, 1)) ** 0.2));
}
