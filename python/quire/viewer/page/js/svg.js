// A picture as SVG: what is drawn on it as on a canvas becomes text, lines and areas.

const KEPT = ["fillStyle", "strokeStyle", "lineWidth", "lineJoin", "globalAlpha", "globalCompositeOperation", "font", "textAlign",
  "textBaseline", "imageSmoothingEnabled", "dashes", "transform", "clipping"];
const ANCHORS = { left: "start", center: "middle", right: "end" };
// Where the line of letters is below a place, as a share of their size. Few programs know other lines of SVG.
const BELOW = { alphabetic: 0, middle: 0.35, top: 0.88 };
const ruler = document.createElement("canvas").getContext("2d");

/** Has the part of the interface of a canvas that pictures use. */
export class Paper {
  constructor(size) {
    Object.assign(this, { size, fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, lineJoin: "miter", globalAlpha: 1,
      globalCompositeOperation: "source-over", font: "12px sans-serif", textAlign: "left", textBaseline: "alphabetic",
      imageSmoothingEnabled: true, dashes: [], transform: "", clipping: "" });
    this.parts = [];
    this.saved = [];
    this.path = [];
    this.clips = 0;
  }

  save() { this.saved.push(Object.fromEntries(KEPT.map((name) => [name, this[name]]))); }
  restore() { Object.assign(this, this.saved.pop()); }
  translate(x, y) { this.transform += ` translate(${short(x)} ${short(y)})`; }
  rotate(angle) { this.transform += ` rotate(${short((angle * 180) / Math.PI)})`; }
  setLineDash(dashes) { this.dashes = dashes; }
  beginPath() { this.path = []; }
  moveTo(x, y) { this.path.push(`M${short(x)} ${short(y)}`); }
  lineTo(x, y) { this.path.push(`${this.path.length ? "L" : "M"}${short(x)} ${short(y)}`); }
  rect(x, y, width, height) { this.path.push(`M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`); }

  /** Add a whole circle. */
  arc(x, y, radius) {
    const r = short(radius);
    this.path.push(`M${short(x - radius)} ${short(y)}a${r} ${r} 0 1 0 ${short(2 * radius)} 0a${r} ${r} 0 1 0 ${short(-2 * radius)} 0`);
  }

  stroke() {
    const dashes = this.dashes.length ? ` stroke-dasharray="${this.dashes.join(" ")}"` : "";
    this.add(`<path d="${this.path.join("")}" fill="none" stroke="${escaped(this.strokeStyle)}" stroke-width="${this.lineWidth}" `
      + `stroke-linejoin="${this.lineJoin}"${dashes}${this.common()}/>`);
  }

  fill() { this.add(`<path d="${this.path.join("")}" fill="${escaped(this.fillStyle)}"${this.common()}/>`); }

  clip() {
    this.clips += 1;
    this.add(`<clipPath id="area${this.clips}"><path d="${this.path.join("")}"/></clipPath>`);
    this.clipping = ` clip-path="url(#area${this.clips})"`;
  }

  fillRect(x, y, width, height) {
    this.add(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${escaped(this.fillStyle)}"${this.common()}/>`);
  }

  strokeRect(x, y, width, height) {
    this.beginPath();
    this.rect(x, y, width, height);
    this.stroke();
  }

  measureText(text) {
    ruler.font = this.font;
    return ruler.measureText(text);
  }

  fillText(text, x, y, most = Infinity) {
    const [, weight, size, family] = /^(?:(\d+) )?([\d.]+)px (.*)$/.exec(this.font);
    const fitted = this.measureText(text).width > most ? ` textLength="${short(most)}" lengthAdjust="spacingAndGlyphs"` : "";
    this.add(`<text x="${short(x)}" y="${short(y + BELOW[this.textBaseline] * size)}" fill="${escaped(this.fillStyle)}" `
      + `font-family="${escaped(family)}" font-size="${size}"${weight ? ` font-weight="${weight}"` : ""} `
      + `text-anchor="${ANCHORS[this.textAlign]}"${fitted}${this.common()}>${escaped(text)}</text>`);
  }

  drawImage(canvas, x, y, width, height) {
    const isSharp = !this.imageSmoothingEnabled;
    const style = [isSharp && "image-rendering:pixelated",
      this.globalCompositeOperation !== "source-over" && `mix-blend-mode:${this.globalCompositeOperation}`].filter(Boolean).join(";");
    this.add(`<image x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" preserveAspectRatio="none"`
      + `${style ? ` style="${style}"` : ""} href="${canvas.toDataURL("image/png")}"${this.common()}/>`);
  }

  /** Return the picture as a text. */
  text(title) {
    const { width, height } = this.size;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n`
      + `<title>${escaped(title)}</title>\n${this.parts.join("\n")}\n</svg>\n`;
  }

  add(part) { this.parts.push(part); }

  common() {
    return `${this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : ""}${this.transform ? ` transform="${this.transform.trim()}"` : ""}${this.clipping}`;
  }
}

function short(value) {
  return String(Math.round(value * 100) / 100);
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[one]);
}
