/**
 * What verdicts look like: one shape and one colour each. Shapes differ as well as colours; a stale verdict is hollow.
 *
 * This file knows nothing of VS Code.
 */
import type { Verdict } from "./protocol";

interface Look {
  /** Foreground on a light and on a dark background; both have a contrast of 3:1 and more. */
  light: string;
  dark: string;
  /** The outline in a box of 16 by 16. */
  outline: string;
  /** What stands inside: strokes. */
  sign: string;
}

const circle = "M8 2.25a5.75 5.75 0 1 0 0 11.5a5.75 5.75 0 1 0 0-11.5z";
const octagon = "M5.6 2.25h4.8l3.35 3.35v4.8l-3.35 3.35h-4.8l-3.35-3.35v-4.8z";
const triangle = "M8 2.1l6.3 11.4h-12.6z";
const square = "M3.75 2.75h8.5a1 1 0 0 1 1 1v8.5a1 1 0 0 1-1 1h-8.5a1 1 0 0 1-1-1v-8.5a1 1 0 0 1 1-1z";
const diamond = "M8 1.6l6.4 6.4l-6.4 6.4l-6.4-6.4z";

const looks: Record<Verdict, Look> = {
  proved: { light: "#1a7f37", dark: "#3fb950", outline: circle, sign: "M5.2 8.2l2 2l3.7-4.2" },
  failed: { light: "#c9252d", dark: "#f4594f", outline: octagon, sign: "M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4" },
  error: { light: "#c9252d", dark: "#f4594f", outline: octagon, sign: "M8 4.8v3.8M8 10.8v.4" },
  vacuous: { light: "#b45309", dark: "#e3a008", outline: triangle, sign: "M8 6v3.4M8 11.4v.3" },
  bounded: { light: "#0969da", dark: "#58a6ff", outline: square, sign: "M5.2 8h1M7.6 8h.9M9.9 8h1" },
  unknown: {
    light: "#6e40c9",
    dark: "#b392f0",
    outline: diamond,
    sign: "M6.4 6.7a1.65 1.65 0 1 1 2.3 1.5c-.5.25-.7.55-.7 1.1M8 11.1v.2",
  },
  unreached: { light: "#6b7280", dark: "#8b949e", outline: circle, sign: "M5.4 8h5.2" },
};

/** The verdicts, each with its own look. */
export const verdicts = Object.keys(looks) as Verdict[];

/**
 * The icon of a verdict as an SVG document: a filled shape with its sign cut out, or, when stale,
 * only its outline and the sign.
 */
export function icon(verdict: Verdict, stale: boolean, theme: "light" | "dark"): string {
  const look = looks[verdict];
  const colour = look[theme];
  const inside = theme === "light" ? "#ffffff" : "#1b1f24";
  const shape = stale
    ? `<path d="${look.outline}" fill="none" stroke="${colour}" stroke-width="1.2" stroke-linejoin="round" ` +
      `stroke-dasharray="2.2 1.3"/>`
    : `<path d="${look.outline}" fill="${colour}" stroke="${colour}" stroke-width="0.8" stroke-linejoin="round"/>`;
  const sign =
    `<path d="${look.sign}" fill="none" stroke="${stale ? colour : inside}" stroke-width="1.5" ` +
    `stroke-linecap="round" stroke-linejoin="round"/>`;
  const name = stale ? `${verdict}-stale` : verdict;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16" id="${name}">${shape}${sign}</svg>`;
}
