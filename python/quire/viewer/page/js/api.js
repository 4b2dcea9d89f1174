// Requests to the server. All addresses are relative, so that they keep the token and the path of a proxy.

let pending = 0;
const running = new Map();
const TYPES = { uint32: Uint32Array, float32: Float32Array, float64: Float64Array };

/** An error that the server describes in words: of all cuts that apply, of that with the number `cut`, or of no cut. */
class Refused extends Error {
  constructor(message, cut = null) {
    super(message);
    this.cut = cut;
  }
}

/** Mark the page as busy until the returned function is called. */
export function busy() {
  pending += 1;
  document.body.dataset.ready = "no";
  let done = false;
  return () => {
    if (done) return;
    done = true;
    pending -= 1;
    if (pending === 0) requestAnimationFrame(() => { if (pending === 0) document.body.dataset.ready = "yes"; });
  };
}

async function post(name, body, signal) {
  try {
    return await fetch(`api/${name}`, { method: "POST", body: body instanceof Blob ? body : JSON.stringify(body), signal });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Refused("The server does not answer. Was quire view ended?");
  }
}

/** Return the file that the server makes of a body of bytes. */
export async function made(name, bytes) {
  const finish = busy();
  try {
    const answer = await post(name, bytes);
    if (!answer.ok) throw new Refused((await answer.json()).error);
    return await answer.blob();
  } finally {
    finish();
  }
}

/** Return the JSON that the server answers. The page counts as busy until then, unless it only looks for changes. */
export async function ask(name, body = {}, isQuiet = false) {
  const finish = isQuiet ? () => {} : busy();
  try {
    const answer = await post(name, body);
    const content = await answer.json();
    if (content.error) throw new Refused(content.error);
    return content;
  } finally {
    finish();
  }
}

/**
 * Compute something for a plot; the computation before it for this plot ends. `receive` is called with each frame
 * and its arrays. Returns false if a later one has replaced it.
 */
export async function compute(plot, name, body, receive) {
  const finish = busy();
  running.get(plot)?.abort();
  const controller = new AbortController();
  running.set(plot, controller);
  try {
    const answer = await post(name, { ...body, plot: `${session}-${plot}` }, controller.signal);
    if (!answer.ok) throw new Refused((await answer.json()).error);
    for await (const frame of frames(answer.body.getReader())) {
      if (controller.signal.aborted) return false;
      if (frame.kind === "error") throw new Refused(frame.error, frame.cut);
      if (frame.kind === "stopped") return false;
      receive(frame);
    }
    return true;
  } catch (problem) {
    if (problem.name === "AbortError" || controller.signal.aborted) return false;
    if (problem instanceof TypeError && /network|fetch/i.test(problem.message)) {
      throw new Refused("The server ended the answer too early. Was quire view ended?");
    }
    throw problem;
  } finally {
    if (running.get(plot) === controller) running.delete(plot);
    finish();
  }
}

/** End what is computed for a plot. */
export function stop(plot) {
  running.get(plot)?.abort();
}

// Two pages of one server do not stop each other's computations.
const session = Math.random().toString(36).slice(2);

async function* frames(reader) {
  let held = new Uint8Array(0);
  for (;;) {
    const size = held.length < 8 ? Infinity : 8 + lengths(held)[0] + lengths(held)[1];
    if (held.length >= size) {
      yield unpacked(held.subarray(0, size));
      held = held.subarray(size);
      continue;
    }
    const { done, value } = await reader.read();
    if (done) return;
    const joined = new Uint8Array(held.length + value.length);
    joined.set(held);
    joined.set(value, held.length);
    held = joined;
  }
}

function lengths(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return [view.getUint32(0, true), view.getUint32(4, true)];
}

function unpacked(bytes) {
  const [head] = lengths(bytes);
  const frame = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + head)));
  let place = 8 + head;
  frame.arrays = frame.arrays.map(({ type, shape }) => {
    const Type = TYPES[type];
    const size = shape.reduce((a, b) => a * b, 1) * Type.BYTES_PER_ELEMENT;
    const values = new Type(bytes.slice(place, place + size).buffer);
    place += size;
    return { shape, values };
  });
  return frame;
}
