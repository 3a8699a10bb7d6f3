import { agent } from "./commands/agent.ts";
import { consolePage } from "./console/console.ts";
import { bigList } from "./apiserver/big-list.ts";
import { fanOut } from "./apiserver/fan-out.ts";
import { faultyTuneds } from "./node-tuning/faulty-tuneds.ts";
import { idle } from "./idle/idle.ts";
import { lab } from "./lab/lab.ts";
import { WrongError } from "./harness/load.ts";
import { memory } from "./apiserver/memory.ts";
import { nodeTuning } from "./node-tuning/node-tuning.ts";
import { nodeTuningScale } from "./node-tuning/node-tuning-scale.ts";
import { render } from "./commands/render.ts";
import { rendering } from "./machine-config/rendering.ts";
import { perftune } from "./scylla/perftune.ts";
import { podAdmission } from "./webhook/pod-admission.ts";
import { poolStatus } from "./machine-config/pool-status.ts";
import { Report } from "./harness/report.ts";
import { requests } from "./apiserver/requests.ts";
import { startUp } from "./apiserver/start-up.ts";
import { tuned } from "./commands/tuned.ts";
import { virtualNodes } from "./node-tuning/virtual-nodes.ts";

const sections = [
  startUp,
  requests,
  fanOut,
  memory,
  bigList,
  tuned,
  render,
  lab,
  nodeTuning,
  nodeTuningScale,
  faultyTuneds,
  virtualNodes,
  rendering,
  poolStatus,
  podAdmission,
  perftune,
  agent,
  idle,
  consolePage,
];
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const unknown = wanted.filter((name) => !sections.some((section) => section.name === name));
if (unknown.length > 0) {
  console.error(
    `error: unknown benchmark ${unknown.join(", ")}: choose from ${sections.map(({ name }) => name).join(", ")}`,
  );
  process.exit(1);
}

if (!process.env.KUBEBUILDER_ASSETS)
  console.log(
    "not compared with a real server: KUBEBUILDER_ASSETS does not name a folder with kube-apiserver and etcd",
  );
const report = new Report();
try {
  for (const section of sections)
    if (wanted.length === 0 || wanted.includes(section.name))
      await section.measure({ quick: process.argv.includes("--quick"), report });
} catch (error) {
  // A missed bar is reported; a wrong result is a failure.
  process.exitCode = 1;
  console.error(error instanceof WrongError ? `error: ${error.message}` : error);
}
report.printBars();
