// What keys do.

import { look, move } from "./camera.js";
import { shownFiles, view } from "./files.js";
import { change, state, VIEWS } from "./state.js";
import * as steps from "./steps.js";

const DEGREES = 10;
/** With the shift key, in the view of points in space. */
const TURNS = { ArrowLeft: [-DEGREES, 0], ArrowRight: [DEGREES, 0], ArrowUp: [0, DEGREES], ArrowDown: [0, -DEGREES] };

/** Listen to keys, except in boxes for text. */
export function connectKeys({ changeTheme, followCut, newCut }) {
  const keys = {
    ArrowLeft: () => steps.move(-1),
    ArrowRight: () => steps.move(1),
    Home: () => steps.goTo(0),
    End: () => steps.goTo(Infinity),
    " ": () => steps.play(!steps.plays()),
    l: () => change(view() === "density" ? { scale: state.scale === "log" ? "linear" : "log" } : { logy: !state.logy }),
    e: () => change({ ellipse: !state.ellipse }),
    c: () => change({ contours: !state.contours }),
    o: () => { if (shownFiles().length > 1) change({ overlay: !state.overlay }); },
    0: () => change({ zoom: null, turn: null }),
    w: () => change({ watch: !state.watch }),
    d: changeTheme,
    t: followCut,
    a: newCut,
    "/": () => document.getElementById("where").focus(),
    "?": () => document.getElementById("keys").showModal(),
    Escape: () => change({ zoom: null }),
  };
  const ofSpace = { x: () => look("x"), y: () => look("y"), z: () => look("z"), "+": () => move(0, 0, 1.2), "-": () => move(0, 0, 1 / 1.2) };
  VIEWS.forEach((name, place) => { keys[place + 1] = () => change({ view: name, zoom: null, row: 0 }); });
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || document.getElementById("keys").open) return;
    if (target.matches("textarea, select, input:not([type=checkbox], [type=range])")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (event.key === " " && target.matches("button, input[type=checkbox]")) return;
    const isSpace = view() === "space";
    const action = isSpace && event.shiftKey && event.key in TURNS ? () => move(...TURNS[event.key])
      : keys[event.key] ?? (isSpace ? ofSpace[event.key] : undefined);
    if (!action) return;
    event.preventDefault();
    action();
  });
}
