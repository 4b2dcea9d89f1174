// Texts that are shortened to the room that they have. The whole text is then the title of their place.

const UNIT = /  \[[^\]]*\]$/;
const HIGH = 12;
const ruler = document.createElement("canvas").getContext("2d");

/** Return a text, or its beginning with an ellipsis if it is wider than its room. A unit at its end stays. */
export function fitted(context, text, room) {
  const isWide = (one) => context.measureText(one).width > room;
  if (!isWide(text)) return text;
  const unit = UNIT.exec(text)?.[0] ?? "";
  const shortened = (count) => `${text.slice(0, count).trimEnd()}…${unit}`;
  let [low, high] = [0, text.length - unit.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isWide(shortened(middle))) high = middle - 1; else low = middle;
  }
  return shortened(low);
}

/** Return a text as it fits in a font. */
export function fittedIn(font, text, room) {
  ruler.font = font;
  return fitted(ruler, text, room);
}

/**
 * Write a text at a place of a picture, and return its width. A shortened one is the title of `box`, by default of
 * its place.
 */
export function write(context, text, x, y, room, box = null) {
  const shown = fitted(context, text, room);
  // Canvases draw nothing in a room without limits.
  context.fillText(shown, x, y, ...(Number.isFinite(room) ? [Math.max(room, 1)] : []));
  const { width } = context.measureText(shown);
  const left = x - { left: 0, center: width / 2, right: width }[context.textAlign];
  if (shown !== text) context.canvas?.titles?.push({ text, box: box ?? { x: left, y: y - HIGH, width, height: 2 * HIGH } });
  return width;
}

/** Let a canvas have the title of the place under the pointer. */
export function titled(canvas) {
  canvas.titles = [];
  canvas.onpointermove = ({ offsetX, offsetY }) => {
    canvas.title = canvas.titles.find(({ box }) => offsetX >= box.x && offsetX <= box.x + box.width
      && offsetY >= box.y && offsetY <= box.y + box.height)?.text ?? "";
  };
}
