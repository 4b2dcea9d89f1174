// Ranges that a finger draws in charts: their library knows mice only.

const MOUSE = { pointerdown: "mousedown", pointermove: "mousemove", pointerup: "mouseup" };

/** Let a finger draw ranges over an element as a mouse does. Up and down it scrolls the page. */
export function drawByTouch(over) {
  let start = null;
  over.style.touchAction = "pan-y";
  const send = (type, { clientX, clientY }) =>
    over.dispatchEvent(new MouseEvent(type, { bubbles: true, clientX, clientY, movementX: 1 }));
  for (const [name, type] of Object.entries(MOUSE)) {
    over.addEventListener(name, (event) => {
      if (event.pointerType !== "touch" || !event.isPrimary) return;
      if (name === "pointerdown") start = event;
      if (start) send(type, event);
      if (name === "pointerup") start = null;
    });
  }
  over.addEventListener("pointercancel", () => {
    if (!start) return;
    send("mousemove", start);
    send("mouseup", start);
    start = null;
  });
}
