// Pictures have twice the resolution of the screen, so that those that are saved are sharp in print. This is set
// before the library of charts reads it.

Object.defineProperty(window, "devicePixelRatio", { value: 2 * (window.devicePixelRatio || 1), configurable: true });
