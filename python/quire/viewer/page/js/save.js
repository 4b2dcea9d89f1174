// What leaves the page: pictures, numbers, and text on the clipboard.

import { cleared, inks } from "./density.js";
import { fitted } from "./labels.js";
import { Paper } from "./svg.js";

/** Give a file to the user. */
export function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Return columns as CSV. */
export function csv(columns) {
  const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const heading = columns.map(({ name, unit }) => (unit && unit !== "1" ? `${name} [${unit}]` : name));
  const rows = Array.from(columns[0].values, (_, row) => columns.map(({ values }) => textOf(values[row])));
  return `${[heading, ...rows].map((row) => row.map(cell).join()).join("\n")}\n`;
}

function textOf(value) {
  return typeof value !== "number" || Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(12)));
}

/**
 * Return columns as the server reads them: the lengths of two parts, JSON about the columns, and their numbers as
 * float64. Texts are numbers of a list.
 */
export function packed(columns, about) {
  const described = columns.map(({ name, short, unit, symbol, description, isWhole, values }) => ({
    name: short ?? name, unit, symbol, description: description || (short && short !== name ? name : ""), isWhole,
    texts: typeof values[0] === "string" ? [...new Set(values)] : null,
  }));
  const head = new TextEncoder().encode(JSON.stringify({ ...about, columns: described }));
  const rows = columns[0].values.length;
  const numbers = new Float64Array(rows * columns.length);
  columns.forEach(({ values }, place) => {
    const { texts } = described[place];
    const places = texts && new Map(texts.map((text, index) => [text, index]));
    numbers.set(places ? values.map((text) => places.get(text)) : values, place * rows);
  });
  return new Blob([new Uint32Array([head.length, numbers.byteLength]), head, numbers]);
}

/** Return a picture of a canvas, or of an element with charts and lines of text. */
export function png(element) {
  if (element instanceof HTMLCanvasElement) return blobOf(element);
  const ratio = window.devicePixelRatio || 1;
  const size = element.getBoundingClientRect();
  const made = document.createElement("canvas");
  made.width = Math.round(size.width * ratio);
  made.height = Math.round(size.height * ratio);
  const context = made.getContext("2d");
  context.scale(ratio, ratio);
  compose(cleared(context, size, inks()), element, (canvas, at) => context.drawImage(canvas, at.x, at.y, at.width, at.height));
  return blobOf(made);
}

/** Return a picture as SVG. A canvas that cannot be drawn again is an image in it. */
export function svg(element, title) {
  const { width, height } = element.getBoundingClientRect();
  const paper = new Paper({ width, height });
  if (element.again) element.again(paper);
  else if (element instanceof HTMLCanvasElement) paper.drawImage(element, 0, 0, width, height);
  else {
    compose(cleared(paper, { width, height }, inks()), element, (canvas, at) => {
      const around = element.getBoundingClientRect();
      const chart = canvas.closest(".uplot");
      const box = chart?.getBoundingClientRect();
      if (chart?.again) chart.again(paper, { x: box.x - around.x, y: box.y - around.y });
      else paper.drawImage(canvas, at.x, at.y, at.width, at.height);
    });
  }
  return new Blob([paper.text(title)], { type: "image/svg+xml" });
}

/** Draw the charts of an element, by a function, and the names above them. */
function compose(context, element, drawCanvas) {
  const around = element.getBoundingClientRect();
  const at = (one) => {
    const box = one.getBoundingClientRect();
    return { x: box.x - around.x, y: box.y - around.y, width: box.width, height: box.height };
  };
  for (const canvas of element.querySelectorAll("canvas")) drawCanvas(canvas, at(canvas));
  for (const mark of element.querySelectorAll(".chart-title i")) {
    const { x, y, width, height } = at(mark);
    context.fillStyle = getComputedStyle(mark).color;
    const dashes = mark.classList.contains("dashed") ? [[0, 4], [7, 11], [12, width]] : [[0, width]];
    for (const [first, last] of dashes) context.fillRect(x + first, y, last - first, height);
  }
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const entry of element.querySelectorAll(".chart-title span")) {
    const look = getComputedStyle(entry);
    context.font = `${parseFloat(look.fontSize)}px ${look.fontFamily}`;
    context.fillStyle = look.color;
    for (const { text, box, room } of linesOf(entry)) {
      context.fillText(fitted(context, text, room), box.x - around.x, box.y - around.y + box.height / 2);
    }
  }
}

/** Return the lines of a text on the page, with their boxes, and the room of those that are shortened. */
function linesOf(entry) {
  const found = [];
  for (const part of entry.childNodes) {
    if (part.tagName === "B") found.push({ text: part.textContent, box: part.getBoundingClientRect(), room: part.clientWidth + 1 });
    if (part.nodeType !== Node.TEXT_NODE) continue;
    const range = document.createRange();
    let line = null;
    [...part.data].reduce((place, letter) => {
      range.setStart(part, place);
      range.setEnd(part, place + letter.length);
      const box = range.getBoundingClientRect();
      if (line && (box.width === 0 || Math.abs(box.y - line.box.y) < 2)) line.text += letter;
      else found.push(line = { text: letter, box, room: Infinity });
      return place + letter.length;
    }, 0);
  }
  return found;
}

/** Return the bytes of a picture. Chromium makes them between frames, and waits for seconds if the page has none. */
async function blobOf(canvas) {
  let isDone = false;
  const frame = () => { if (!isDone) requestAnimationFrame(frame); };
  frame();
  const made = await new Promise((done) => canvas.toBlob(done, "image/png"));
  isDone = true;
  return made;
}

/** Copy text to the clipboard; also where the browser gives no access to it, as in a frame. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = document.createElement("textarea");
    box.value = text;
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
  }
}
