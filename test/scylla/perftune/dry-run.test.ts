import { expect, it } from "vitest";
import { planChannels } from "../../../src/domain/scylla/perftune/plan-channels.ts";
import { planTuning } from "../../../src/domain/scylla/perftune/plan-tuning.ts";
import { shellLines } from "../../../src/program/cli/perftune/shell-lines.ts";
import { HostInFixture, type RecordedHost } from "./recorded-host.ts";
import { fixture, options as optionsOf } from "./recorded.ts";

interface RecordedRun {
  readonly id: string;
  readonly machine: string;
  readonly args: readonly string[];
  readonly host: RecordedHost;
}

/** What the shell does with a line; reads are left out. */
function meant(line: string): string[] {
  if (line === "sysctl net.core.rps_sock_flow_entries") return [];
  const [, name = "", value = ""] = /^sysctl -w (\S+)=(.*)$/.exec(line) ?? [];
  return [name === "" ? line : `echo ${value} > /proc/sys/${name.replaceAll(".", "/")}`];
}

/**
 * Recorded lines that differ: the edit of irqbalance's config, whose line loses its quotes in a shell, and the number of queues, which is set
 * before it (scylla W-15).
 */
const ofIrqbalance = /^(sed|cp|echo '?IRQBALANCE_ARGS|systemctl)/;
const ofChannels = /^ethtool -L/;

it("prints each write and command, for the host and options of the recorded dry run", () => {
  const runs = fixture<RecordedRun[]>("perftune-actions");
  const { dryRun } = fixture<{ dryRun: string[] }>("perftune-options");
  const run = runs.find(({ id }) => id === "nic-ena-operator-mask-channels-ok");
  if (!run) throw new Error("the case is gone");
  const options = optionsOf(run.args);
  const extraFiles = {
    "/usr/lib/systemd/system/irqbalance.service": "",
    "/etc/sysconfig/irqbalance": 'IRQBALANCE_ARGS=""\n',
  };
  const host = new HostInFixture({ ...run.host, processes: ["irqbalance"], extraFiles }, run.machine);
  const facts = host.facts(options);
  const channels = planChannels(options, facts);
  const tuning = planTuning(options, facts, { asWanted: new Set(["eth0"]), isDryRun: true });
  if (channels.type === "refused" || tuning.type === "refused") throw new Error("refused");
  const lines = [...channels.steps, ...tuning.steps].flatMap(shellLines).filter((line) => !line.startsWith("#"));
  const settings = (all: readonly string[]): string[] =>
    all.filter((line) => !ofIrqbalance.test(line) && !ofChannels.test(line));

  expect(settings(lines)).toEqual(settings(dryRun.flatMap(meant)));
  expect(lines.filter((line) => ofChannels.test(line))).toEqual(dryRun.filter((line) => ofChannels.test(line)));
  expect(lines.filter((line) => ofIrqbalance.test(line))).toEqual([
    "cp /etc/sysconfig/irqbalance /etc/sysconfig/irqbalance.scylla.orig",
    "sed -i '/^[[:space:]]*IRQBALANCE_ARGS=/d' /etc/sysconfig/irqbalance",
    `echo 'IRQBALANCE_ARGS=" --banirq=25 --banirq=26 --banirq=27 --banirq=28"' | tee -a /etc/sysconfig/irqbalance`,
    "systemctl try-restart irqbalance",
  ]);
});
