import type { Plugin } from "../plugin.ts";
import { sysctl } from "./sysctl.ts";

/** What the native engine knows. */
export const nativePlugins: readonly Plugin[] = [sysctl];
