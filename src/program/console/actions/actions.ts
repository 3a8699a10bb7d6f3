import type { Action } from "./action.ts";

/** By the last part of their address. */
export const actions: ReadonlyMap<string, Action> = new Map();
