import { noAnswers } from "../../src/language/tuned/probe.ts";
import { resolve, type ResolvedProfile } from "../../src/language/tuned/resolve.ts";
import { parseProfile } from "../../src/language/tuned/text/parse-profile.ts";
import { nativeEngine } from "../../src/node/engine/native-engine.ts";
import { LinuxHost } from "../../src/node/host/linux-host.ts";
import { WrongError } from "../harness/load.ts";
import { bareNode, runTime } from "../harness/process-usage.ts";
import { median, ratio, shown, type Section } from "../harness/report.ts";
import { hasTuned, RealTuned } from "./real-tuned.ts";
import { smallNode } from "./small-node.ts";

const coldMs = 50;
/** `tuned-adm verify` needs D-Bus, which few benchmark machines have: measured once, on a machine that has it. */
const tunedVerifyMs = 1000;
const verifyShare = 20;

/** A small profile applied by a command, by a running engine, and by TuneD. */
export const tuned: Section = {
  name: "tuned",
  async measure({ quick, report }) {
    const rounds = quick ? 5 : 15;
    const times = {
      "node -e 0 (bare)": [] as number[],
      "attune tuned apply": [] as number[],
      "attune tuned verify": [] as number[],
      "TuneD's daemon, start to applied": [] as number[],
    };
    const warm = { change: [] as number[], verify: [] as number[], tuned: [] as number[] };
    const real = hasTuned();
    for (let round = 0; round < rounds; round++) {
      const { root, remove } = await smallNode();
      times["node -e 0 (bare)"].push(await bareNode());
      times["attune tuned apply"].push(await runTime(["bin/attune", "tuned", "apply", "one", "--root", root]));
      times["attune tuned verify"].push(await runTime(["bin/attune", "tuned", "verify", "one", "--root", root]));
      await warmRound(root, warm);
      await runTime(["bin/attune", "tuned", "rollback", "--root", root]);
      if (real) {
        const { tuned: daemon, milliseconds } = await RealTuned.start(root, "one");
        times["TuneD's daemon, start to applied"].push(milliseconds);
        await checkInForce("one", root);
        for (const profile of ["two", "one"]) {
          warm.tuned.push(await daemon.change(profile));
          await checkInForce(profile, root);
        }
        await daemon.stop();
      }
      await remove();
    }

    const bare = median(times["node -e 0 (bare)"]);
    const row = ([what, runs]: [string, readonly number[]]): string[] => [
      what,
      shown(median(runs), "ms"),
      shown(Math.min(...runs), "ms"),
      `+ ${shown(median(runs) - bare, "ms")}`,
      ratio(median(runs), bare),
    ];
    const measured = Object.entries(times).filter(([, runs]) => runs.length > 0);
    report.table("A small profile, cold", ["", "median", "fastest", "over bare", "to bare"], measured.map(row));
    report.table(
      "A small profile, warm",
      ["", "change of profile", "verify"],
      [
        ["engine native", shown(median(warm.change), "ms"), shown(median(warm.verify), "ms")],
        ...(real ? [["TuneD's daemon", shown(median(warm.tuned), "ms"), "-"]] : []),
      ],
    );
    const over = median(times["attune tuned apply"]) - bare;
    report.bar({
      what: `cold tuned apply ≤ bare + ${coldMs} ms`,
      measured: `bare + ${shown(over, "ms")}`,
      met: over <= coldMs,
    });
    if (real)
      report.bar({
        what: "change of profile ≤ TuneD's, signal to applied",
        measured: `${shown(median(warm.change), "ms")} to ${shown(median(warm.tuned), "ms")}`,
        met: median(warm.change) <= median(warm.tuned),
      });
    report.bar({
      what: `verify ≤ 1/${verifyShare} of TuneD's ${tunedVerifyMs} ms`,
      measured: shown(median(warm.verify), "ms"),
      met: median(warm.verify) <= tunedVerifyMs / verifyShare,
    });
  },
};

/** The engine as in an agent: loaded, with the last profile applied. */
async function warmRound(root: string, { change, verify }: { change: number[]; verify: number[] }): Promise<void> {
  const host = new LinuxHost(root);
  const engine = nativeEngine();
  for (const name of ["two", "one", "two", "one"]) {
    const started = performance.now();
    const profile = await resolved(name, host);
    await engine.apply(profile, host);
    change.push(performance.now() - started);
    const applied = performance.now();
    const { differences } = await engine.verify(profile, host);
    verify.push(performance.now() - applied);
    if (differences.length > 0) throw new WrongError(`profile ${name} is not in force after it was applied`);
  }
}

async function checkInForce(name: string, root: string): Promise<void> {
  const host = new LinuxHost(root);
  const { differences } = await nativeEngine().verify(await resolved(name, host), host);
  if (differences.length > 0) throw new WrongError(`profile ${name} is not in force after it was applied`);
}

async function resolved(name: string, host: LinuxHost): Promise<ResolvedProfile> {
  const file = `/etc/tuned/${name}/tuned.conf`;
  const found = await host.read(file);
  const text = found.type === "text" ? found.text : "";
  const resolution = resolve({ profile: name, layers: [new Map([[name, parseProfile(text, file)]])] }, noAnswers);
  if (resolution.type !== "resolved") throw new WrongError(`profile ${name} cannot be resolved`);
  return resolution.profile;
}
