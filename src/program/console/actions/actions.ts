import type { Action } from "./action.ts";
import { apply } from "./apply.ts";
import { pause } from "./pause.ts";
import { plan } from "./plan.ts";
import { read } from "./read.ts";

/** By the last part of their address. */
export const actions: ReadonlyMap<string, Action> = new Map<string, Action>([
  ["plan", plan],
  ["apply", apply],
  ["pause", pause],
  ["read", read],
]);
