import type { MapLayout } from "./layout.ts";
import { type ProfileRole, profileRoles, roles } from "./roles.ts";
import {
  type Direction,
  extendTo,
  move,
  moveToEnd,
  moveToNode,
  neighbour,
  type Selection,
  selectNode,
  toggle,
} from "./selection.ts";

export interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

export type KeyAction =
  | { readonly type: "select"; readonly selection: Selection }
  /** No role: the CPUs leave their sets. */
  | { readonly type: "assign"; readonly role: ProfileRole | undefined }
  | { readonly type: "undo" }
  | { readonly type: "redo" }
  | { readonly type: "open" }
  | { readonly type: "nothing" };

const arrows: Readonly<Record<string, Direction>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

interface KeyInput {
  readonly layout: MapLayout;
  readonly selection: Selection;
  /** Whether anything can be selected and assigned, or only looked at. */
  readonly selectable: boolean;
}

/** What a key does on the map. */
export function actionOf(pressed: Key, { layout, selection, selectable }: KeyInput): KeyAction {
  const gesture = { layout, grain: pressed.altKey ? "thread" : "core" } as const;
  const select = (next: Selection): KeyAction => ({ type: "select", selection: next });
  const direction = arrows[pressed.key];
  if (direction && pressed.shiftKey && selectable) {
    const cpu = neighbour(selection.cursor, direction, gesture);
    return cpu === undefined ? nothing : select(extendTo(selection, cpu, gesture));
  }
  if (direction) return select(move(selection, direction, gesture));
  const command = pressed.ctrlKey || pressed.metaKey;
  switch (pressed.key) {
    case "PageDown":
      return select(moveToNode(selection, 1, gesture));
    case "PageUp":
      return select(moveToNode(selection, -1, gesture));
    case "Home":
      return select(moveToEnd(selection, "first", gesture));
    case "End":
      return select(moveToEnd(selection, "last", gesture));
    case "Enter":
      return { type: "open" };
  }
  if (!selectable) return nothing;
  if (pressed.key === " ") return select(toggle(selection, gesture));
  const letter = pressed.key.toLowerCase();
  if (command && letter === "a") return select(selectNode(selection, gesture));
  if (command && letter === "z") return { type: pressed.shiftKey ? "redo" : "undo" };
  if (command && letter === "y") return { type: "redo" };
  if (command || pressed.altKey) return nothing;
  if (letter === "x") return { type: "assign", role: undefined };
  const role = profileRoles.find((name) => roles[name].key === letter);
  return role ? { type: "assign", role } : nothing;
}

const nothing: KeyAction = { type: "nothing" };
