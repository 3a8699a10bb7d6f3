import { isTrue, type Section, type Setting } from "../unit.ts";

/** TuneD resets the first three where a child does not repeat them (Q3); the others only count in their own section. */
const notInherited = new Set(["type", "enabled", "devices", "replace", "prepend", "drop"]);

/** Merges a profile's section into the inherited one. Options keep their first position. */
export function mergeSection(inherited: Section | undefined, change: Section): Section {
  if (!inherited || isTrue(change.attributes.get("replace")?.value)) return change;
  const attributes = new Map([...inherited.attributes].filter(([name]) => !notInherited.has(name)));
  for (const [name, setting] of change.attributes) attributes.set(name, over(attributes.get(name), setting));
  const options = new Map(inherited.options);
  for (const dropped of splitDrop(change.attributes.get("drop")?.value)) options.delete(dropped);
  for (const [key, setting] of change.options) {
    const before = options.get(key);
    const joins = change.name === "script" && key === "script";
    options.set(key, joins ? after(before, setting) : over(before, setting));
  }
  return { name: change.name, attributes, options };
}

export function over(inherited: Setting | undefined, setting: Setting): Setting {
  if (!inherited) return setting;
  const { value, from, overrides } = inherited;
  return { ...setting, overrides: [...overrides, { value, from }, ...setting.overrides] };
}

/** `[script]` runs the scripts of all profiles, the parents' first. */
function after(inherited: Setting | undefined, setting: Setting): Setting {
  const list = [...(inherited?.list ?? []), ...(setting.list ?? [])];
  return { ...over(inherited, setting), list, value: list.join("\n") };
}

/** `,` and `;` separate, but only after a letter, a digit or `_`: `a*,b` is one name. */
function splitDrop(text: string | undefined): string[] {
  if (text === undefined) return [];
  const names: string[] = [];
  let start = 0;
  let lastSolid = "";
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if ((character === "," || character === ";") && /[\p{L}\p{N}_]/u.test(lastSolid)) {
      names.push(text.slice(start, i).trim());
      start = i + 1;
    }
    if (character.trim() !== "") lastSolid = character;
  }
  return [...names, text.slice(start).trim()];
}
