import type { Plugin, Step } from "../plugin.ts";

/** Plug-ins for desktops, with the folder that shows whether the node has anything for them to tune. */
const places = {
  audio: "/sys/class/sound",
  eeepc_she: "/sys/devices/platform/eeepc",
  usb: "/sys/bus/usb/devices",
  video: "/sys/class/drm",
} as const;

/** Whether only the TuneD daemon applies units of this type. */
export function isLeftToTuned(type: string): boolean {
  return Object.hasOwn(places, type);
}

/** Plug-ins that the native engine knows and does not apply: the TuneD daemon does, where it is the engine. */
export const leftToTuned: readonly Plugin[] = Object.entries(places).map(([type, place]) => ({
  type,
  async plan({ options }, { host }) {
    const concerned = (await host.list(place)).length > 0;
    const steps: Step[] = [];
    for (const [option, { from }] of options)
      steps.push(
        concerned
          ? { type: "skipped", option, from, message: `the native engine does not apply [${type}]; engine tuned does` }
          : { type: "skipped", option, from, level: "info", message: `this node has nothing for [${type}] to tune` },
      );
    return steps;
  },
}));
