// What is shown. The address of the page has it after '#', so a link restores the view.

const DEFAULTS = {
  view: "", files: null, step: null, table: "", x: "", y: "", of: "", along: "", ys: null, across: "", up: null, where: "", cuts: null, weight: "",
  bins: "", scale: "log", palette: "viridis", ellipse: true, contours: false, overlay: false, logy: false, points: false, share: false,
  zoom: null, row: 0, x3: "", y3: "", z3: "", colour: "", turn: null, watch: false, field: "", at: "", component: "",
  followed: null, onlyFollowed: false, onField: false, thickness: "", cumulative: false, fit: false, withField: false, planes: "",
};

export const VIEWS = ["density", "histogram", "curves", "run", "fields", "rows", "space"];

const LISTS = new Set(["files", "ys", "up", "cuts", "zoom", "turn"]);

export const state = { ...DEFAULTS };
const listeners = [];

/** Call a function with the names that changed, after each change. */
export function onChange(listener) {
  listeners.push(listener);
}

/** Change some of what is shown. */
export function change(parts) {
  const names = Object.keys(parts).filter((name) => JSON.stringify(state[name]) !== JSON.stringify(parts[name]));
  if (!names.length) return;
  for (const name of names) state[name] = parts[name];
  history.replaceState(null, "", `#${toHash()}`);
  for (const listener of listeners) listener(new Set(names));
}

/** Return what is shown as text for an address: only what is not as usual. */
function toHash() {
  const parts = new URLSearchParams();
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    const value = state[name];
    if (value !== null && JSON.stringify(value) !== JSON.stringify(usual)) {
      parts.set(name, typeof value === "string" ? value : JSON.stringify(value));
    }
  }
  return parts.toString();
}

/** Return the view that an address has: what it does not name is as usual. */
export function fromHash(text) {
  const found = { ...DEFAULTS };
  for (const [name, value] of new URLSearchParams(text.replace(/^#/, ""))) {
    if (!(name in DEFAULTS)) continue;
    const isText = typeof DEFAULTS[name] === "string";
    try {
      const part = isText ? value : JSON.parse(value);
      if (isPossible(name, part)) found[name] = part;
    } catch {
      // A part that was written by hand and is no JSON is left out.
    }
  }
  return found;
}

/** Return whether a part of a view may have a value; those of links that were damaged may not. */
function isPossible(name, value) {
  if (LISTS.has(name)) return Array.isArray(value);
  if (name === "view") return VIEWS.includes(value);
  if (name === "followed") return value?.constructor === Object;
  return typeof value === (name === "step" ? "number" : typeof DEFAULTS[name]);
}
