import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { planChannels } from "../../src/domain/scylla/perftune/plan-channels.ts";
import { planTuning } from "../../src/domain/scylla/perftune/plan-tuning.ts";
import type { PerftuneOptions } from "../../src/domain/scylla/perftune/option/perftune-options.ts";
import { readLedger } from "../../src/node/engine/journal.ts";
import type { CommandResult, FileText } from "../../src/node/host/host.ts";
import { LinuxHost } from "../../src/node/host/linux-host.ts";
import { syncFiles } from "../../src/node/host/sync-files.ts";
import { readFacts } from "../../src/node/perftune/facts/read-facts.ts";
import { WrongError } from "../harness/load.ts";
import { median, type Section, shown } from "../harness/report.ts";
import { largeHostArguments, writeLargeHost } from "./large-host.ts";

const most = 10;

const options: PerftuneOptions = {
  tune: ["net", "disks"],
  mode: "auto",
  nics: largeHostArguments.nics,
  directories: [],
  devices: largeHostArguments.devices,
  coresPerIrqCore: 16,
  tcpMemFraction: 0.03,
  tuneClock: false,
};

/** Notes what is read, and answers for programs: starting them is no part of planning. */
class NotingHost extends LinuxHost {
  readonly paths = new Set<string>();

  override async read(path: string): Promise<FileText> {
    const file = await super.read(path);
    if (file.type === "text") this.paths.add(path);
    return file;
  }

  override async run(): Promise<CommandResult> {
    return { type: "exited", code: 1, stdout: "", stderr: "" };
  }
}

/** From the options to the plan, compared with reading the same files. */
export const perftune: Section = {
  name: "perftune",
  async measure({ quick, report }) {
    const root = mkdtempSync(join(tmpdir(), "attune-bench-"));
    try {
      writeLargeHost(root);
      const host = new NotingHost(root, syncFiles);
      const [planned, facts, files]: number[][] = [[], [], []];
      for (let round = 0; round < (quick ? 5 : 20); round++) {
        const start = performance.now();
        const found = await readFacts(host, options, await readLedger(host));
        const read = performance.now();
        const channels = planChannels(options, found);
        const tuning = planTuning(options, found, { asWanted: new Set(), isDryRun: false });
        const end = performance.now();
        for (const path of host.paths) readFileSync(join(root, path), "utf8");
        files!.push(performance.now() - end);
        facts!.push(read - start);
        planned!.push(end - read);
        if (channels.type === "refused") throw new WrongError(channels.problem);
        const writes = tuning.type === "planned" ? tuning.steps.filter(({ type }) => type === "write").length : 0;
        if (writes < largeHostArguments.irqs)
          throw new WrongError(`${writes} writes for ${largeHostArguments.irqs} IRQs`);
      }
      const [reading, gathering, planning] = [files!, facts!, planned!].map((times) => median(times));
      report.table(
        `perftune of 256 CPUs, 64 queues and 24 disks: ${host.paths.size} files, ${largeHostArguments.irqs} IRQs`,
        ["", "median"],
        [
          ["read the files", shown(reading, "ms")],
          ["read and understand them", shown(gathering, "ms")],
          ["plan", shown(planning, "ms")],
        ],
      );
      const ratio = (gathering! + planning!) / reading!;
      report.bar({
        what: `facts and plan ≤ ${most} × reading the files`,
        measured: `${ratio.toFixed(1)} ×`,
        met: ratio <= most,
      });
    } finally {
      rmSync(root, { recursive: true });
    }
  },
};
