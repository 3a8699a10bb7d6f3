import type { Observe, Plugin, Step } from "../plugin.ts";
import { unknownOption } from "./steps.ts";

const name = "rtentsk";
/** SO_TIMESTAMP, and the flag that TuneD gives it. */
const [level, value] = [29, 1 << 14];

/** Programs that open the socket and wait for the end of their input. Node.js cannot set the socket option. */
const keepers: readonly (readonly [probe: readonly string[], argv: readonly string[]])[] = [
  [
    ["perl", "-MSocket", "-e", "1"],
    [
      "perl",
      "-MSocket",
      "-e",
      `socket(S, PF_INET, SOCK_DGRAM, 0) && setsockopt(S, SOL_SOCKET, ${level}, pack("i", ${value})) && <STDIN>`,
    ],
  ],
  [
    ["python3", "-c", "import socket"],
    [
      "python3",
      "-c",
      `import socket, sys; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(socket.SOL_SOCKET, ${level}, ${value}); sys.stdin.read()`,
    ],
  ],
];

/**
 * `[rtentsk]`: keeps a socket with time stamps open. Opening the first such socket and closing the last make the kernel
 * patch its code, which interrupts every CPU, isolated ones too.
 */
export const rtentsk: Plugin = {
  type: name,
  async plan(unit, observe) {
    const steps: Step[] = [];
    for (const [option, setting] of unit.options) steps.push(unknownOption(name, option, setting));
    return observe.purpose === "verify" ? steps : [...steps, await keep(observe)];
  },
};

async function keep({ host }: Observe): Promise<Step> {
  const about = { option: "", from: "" };
  for (const [probe, argv] of keepers) {
    const result = await host.run(probe);
    if (result.type !== "exited" || result.code !== 0) continue;
    return {
      ...about,
      type: "change",
      target: "socket with time stamps",
      before: "closed",
      value: "open",
      actions: [{ type: "keep", name, argv }],
      undo: [{ type: "keep", name, argv: [] }],
      always: true,
      verified: false,
    };
  }
  return { ...about, type: "skipped", message: "perl or python3 is needed to keep a socket with time stamps open" };
}
