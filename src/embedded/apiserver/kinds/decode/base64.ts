export type Base64 = { readonly type: "text"; readonly text: string } | { readonly type: "bad"; readonly at: number };

const wellFormed = /^[A-Za-z0-9+/]*={0,2}$/;
const alphabet = /^[A-Za-z0-9+/]$/;

/** Canonical base64: Go's decoder ignores line breaks and unused bits, and its encoder writes neither. */
export function canonicalBase64(text: string): Base64 {
  if (text.length % 4 === 0 && wellFormed.test(text)) {
    if (!text.endsWith("=")) return { type: "text", text };
    const last = text.slice(-4);
    return { type: "text", text: text.slice(0, -4) + Buffer.from(last, "base64").toString("base64") };
  }
  const at = firstIllegal(text);
  return at < 0
    ? { type: "text", text: Buffer.from(text.replaceAll(/[\r\n]/g, ""), "base64").toString("base64") }
    : { type: "bad", at };
}

/** The index at which Go's decoder fails, or -1. For a text that ends early it is the start of the last group. */
function firstIllegal(text: string): number {
  let inGroup = 0;
  let groupStart = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === "\n" || character === "\r") continue;
    if (inGroup === 0) groupStart = i;
    if (alphabet.test(character)) {
      inGroup = (inGroup + 1) % 4;
      continue;
    }
    if (character !== "=" || inGroup < 2) return i;
    return afterPadding(text, i, inGroup);
  }
  return inGroup === 0 ? -1 : groupStart;
}

function afterPadding(text: string, at: number, inGroup: number): number {
  const rest: number[] = [];
  for (let i = at + 1; i < text.length; i++) if (text[i] !== "\n" && text[i] !== "\r") rest.push(i);
  if (inGroup === 3) return rest[0] ?? -1;
  const second = rest[0];
  if (second === undefined) return text.length;
  if (text[second] !== "=") return at;
  return rest[1] ?? -1;
}

/** The number of bytes that a canonical text encodes. */
export function base64Size(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}
