// What keys do.

import { shownFiles, view } from "./files.js";
import { change, state } from "./state.js";
import * as steps from "./steps.js";

const VIEWS = ["density", "histogram", "curves", "run", "fields", "rows"];

/** Listen to keys, except in boxes for text. */
export function connectKeys({ changeTheme, followCut }) {
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
    0: () => change({ zoom: null }),
    f: () => change({ follow: !state.follow }),
    d: changeTheme,
    t: followCut,
    "/": () => document.getElementById("where").focus(),
    "?": () => document.getElementById("keys").showModal(),
    Escape: () => change({ zoom: null }),
  };
  VIEWS.forEach((name, place) => { keys[place + 1] = () => change({ view: name, zoom: null, row: 0 }); });
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || document.getElementById("keys").open) return;
    if (target.matches("textarea, select, input:not([type=checkbox], [type=range])")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (event.key === " " && target.matches("button, input[type=checkbox]")) return;
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
}
