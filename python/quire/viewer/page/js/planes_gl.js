// Planes of a field between points in space, by WebGL: images on rectangles, which hide what is after them.

import { PROJECTION } from "./camera.js";
import { cellOf, imageOfCells } from "./plane_image.js";

const MOST_PIXELS = 1024;

const CORNERS = `#version 300 es
in vec3 place;
in vec2 part;
out vec2 at;
${PROJECTION}
void main() {
  gl_Position = projected(place);
  at = part;
}`;

const IMAGE = `#version 300 es
precision highp float;
in vec2 at;
uniform sampler2D image;
out vec4 colour;
void main() {
  colour = texture(image, at);
  if (colour.a == 0.0) discard;
}`;

/** Return an image of a plane. Its cells may have any widths: then it has as many pixels as there may be. */
function imageOf({ values, shape, edges }, scale, name) {
  const cells = shape.map((count, axis) => {
    const pixels = isRegular(edges[axis]) && count <= MOST_PIXELS ? count : MOST_PIXELS;
    const [first, last] = [edges[axis][0], edges[axis].at(-1)];
    return Array.from({ length: pixels }, (_, pixel) => cellOf(edges[axis], first + ((pixel + 0.5) / pixels) * (last - first)));
  });
  return imageOfCells(values, shape[1], cells[1], cells[0], scale, name);
}

function isRegular(edges) {
  const width = (edges.at(-1) - edges[0]) / (edges.length - 1);
  return edges.every((one, place) => Math.abs(one - edges[0] - place * width) < 1e-3 * Math.abs(width));
}

/** Draws planes of a field for points in space. */
export class Planes {
  constructor(gl, program) {
    this.gl = gl;
    this.program = program(CORNERS, IMAGE, ["place", "part"]);
    this.corners = gl.createBuffer();
    this.planes = [];
    this.textures = [];
    this.palette = "";
  }

  /** Keep planes: the axis across each and the place on it, its other axes, values, and edges of cells. */
  keep(planes) {
    this.planes = planes;
    this.palette = "";
  }

  /** Make the images of the planes, if they have other colours. */
  paint(palette) {
    if (this.palette === palette) return;
    const { gl } = this;
    this.palette = palette;
    this.textures.forEach((one) => gl.deleteTexture(one));
    this.textures = this.planes.map((plane) => {
      const { width, height, data } = imageOf(plane, plane.scale, palette);
      const texture = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, data);
      for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
      for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
      return texture;
    });
  }

  /** Draw the planes, or where `isHidden` only how far they are. */
  draw(place, palette, isHidden) {
    const { gl } = this;
    if (!this.planes.length) return;
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.depthMask(true);
    gl.colorMask(!isHidden, !isHidden, !isHidden, !isHidden);
    place(this.program);
    gl.activeTexture(gl.TEXTURE0);
    gl.uniform1i(this.program.of("image"), 0);
    this.paint(palette);
    this.planes.forEach((plane, place) => {
      gl.bindTexture(gl.TEXTURE_2D, this.textures[place]);
      this.rectangle(plane);
    });
    gl.colorMask(true, true, true, true);
    gl.depthMask(false);
    gl.disableVertexAttribArray(1);
    if (!isHidden) gl.disable(gl.DEPTH_TEST);
  }

  rectangle({ axis, place, others, edges }) {
    const { gl } = this;
    const corners = [[0, 0], [1, 0], [0, 1], [1, 1]].flatMap(([u, v]) => {
      const at = [0, 0, 0];
      at[axis] = place;
      [v, u].forEach((share, side) => { at[others[side]] = share ? edges[side].at(-1) : edges[side][0]; });
      return [...at, u, v];
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(corners), gl.STREAM_DRAW);
    for (const [number, size, first] of [[0, 3, 0], [1, 2, 12]]) {
      gl.enableVertexAttribArray(number);
      gl.vertexAttribPointer(number, size, gl.FLOAT, false, 20, first);
    }
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }
}
