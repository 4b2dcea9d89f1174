// What leaves the page: pictures, numbers, and text on the clipboard.

/** Give a file to the user. */
export function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Return rows of text as CSV. */
export function csv(rows) {
  const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return `${rows.map((row) => row.map(cell).join()).join("\n")}\n`;
}

/** Return a picture of a canvas, or of an element with canvases and lines of text. */
export async function png(element) {
  if (element instanceof HTMLCanvasElement) return blobOf(element);
  const ratio = window.devicePixelRatio || 1;
  const around = element.getBoundingClientRect();
  const made = document.createElement("canvas");
  made.width = Math.round(around.width * ratio);
  made.height = Math.round(around.height * ratio);
  const context = made.getContext("2d");
  const style = getComputedStyle(document.getElementById("plot"));
  context.fillStyle = style.backgroundColor;
  context.fillRect(0, 0, made.width, made.height);
  const at = (one) => {
    const box = one.getBoundingClientRect();
    return [(box.x - around.x) * ratio, (box.y - around.y) * ratio, box.width * ratio, box.height * ratio];
  };
  for (const canvas of element.querySelectorAll("canvas")) context.drawImage(canvas, ...at(canvas));
  for (const mark of element.querySelectorAll(".chart-title i")) {
    context.fillStyle = getComputedStyle(mark).color;
    context.fillRect(...at(mark));
  }
  context.textBaseline = "middle";
  for (const entry of element.querySelectorAll(".chart-title span")) {
    const [x, y, , height] = at(entry);
    const look = getComputedStyle(entry);
    context.font = `${parseFloat(look.fontSize) * ratio}px ${look.fontFamily}`;
    context.fillStyle = look.color;
    context.fillText(entry.textContent, x + 20 * ratio, y + height / 2);
  }
  return blobOf(made);
}

function blobOf(canvas) {
  return new Promise((done) => canvas.toBlob(done, "image/png"));
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
