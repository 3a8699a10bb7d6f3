/** Red, green and blue, linear, 0 to 1. */
type Linear = readonly [number, number, number];
type Matrix = readonly [Linear, Linear, Linear];

/** `#rrggbb` */
export function linearOf(hex: string): Linear {
  const full = hex.length === 4 ? hex.replaceAll(/[0-9a-f]/g, "$&$&") : hex;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return [red, green, blue];
}

/** By WCAG 2: 1 to 21. */
export function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [a, b].map((hex) => dot([0.2126, 0.7152, 0.0722], linearOf(hex))).sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

/**
 * How people see colours, as matrices for linear RGB: Machado, Oliveira and Fernandes 2009, "A Physiologically-based Model for
 * Simulation of Color Vision Deficiency", severity 1.
 */
export const sights = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const satisfies Record<string, Matrix>;

/** CIEDE2000 between two colours as someone sees them. */
export function distance(a: string, b: string, sight: Matrix): number {
  return ciede2000(labOf(linearOf(a), sight), labOf(linearOf(b), sight));
}

type Lab = readonly [number, number, number];

function labOf(colour: Linear, sight: Matrix): Lab {
  const seen = sight.map((row) => Math.min(1, Math.max(0, dot(row, colour)))) as unknown as Linear;
  // sRGB to XYZ, and the white of D65.
  const [x = 0, y = 0, z = 0] = [
    dot([0.4124564, 0.3575761, 0.1804375], seen) / 0.95047,
    dot([0.2126729, 0.7151522, 0.072175], seen),
    dot([0.0193339, 0.119192, 0.9503041], seen) / 1.08883,
  ].map((value) => (value > 216 / 24389 ? Math.cbrt(value) : (value * 24389) / 27 / 116 + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** By Sharma, Wu and Dalal 2005. */
export function ciede2000([l1, a1, b1]: Lab, [l2, a2, b2]: Lab): number {
  const chroma = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7)));
  const [p1, p2] = [a1 * (1 + g), a2 * (1 + g)];
  const [c1, c2] = [Math.hypot(p1, b1), Math.hypot(p2, b2)];
  const [h1, h2] = [hue(p1, b1), hue(p2, b2)];
  let dh = c1 * c2 === 0 ? 0 : h2 - h1;
  if (dh > 180) dh -= 360;
  if (dh < -180) dh += 360;
  const dH = 2 * Math.sqrt(c1 * c2) * Math.sin(radians(dh / 2));
  const [dL, dC] = [l2 - l1, c2 - c1];
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  let h = h1 + h2;
  if (c1 * c2 !== 0) h = Math.abs(h1 - h2) <= 180 ? h / 2 : (h + (h < 360 ? 360 : -360)) / 2;
  const t =
    1 -
    0.17 * Math.cos(radians(h - 30)) +
    0.24 * Math.cos(radians(2 * h)) +
    0.32 * Math.cos(radians(3 * h + 6)) -
    0.2 * Math.cos(radians(4 * h - 63));
  const sL = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const [sC, sH] = [1 + 0.045 * c, 1 + 0.015 * c * t];
  const turn = 30 * Math.exp(-(((h - 275) / 25) ** 2));
  const rT = -2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * Math.sin(radians(2 * turn));
  return Math.sqrt((dL / sL) ** 2 + (dC / sC) ** 2 + (dH / sH) ** 2 + rT * (dC / sC) * (dH / sH));
}

function hue(a: number, b: number): number {
  const degrees = (Math.atan2(b, a) * 180) / Math.PI;
  return degrees < 0 ? degrees + 360 : degrees;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function dot([a, b, c]: Linear, [x, y, z]: Linear): number {
  return a * x + b * y + c * z;
}
