import { agent } from "./agent.ts";
import { bigList } from "./big-list.ts";
import { fanOut } from "./fan-out.ts";
import { lab } from "./lab.ts";
import { WrongError } from "./load.ts";
import { memory } from "./memory.ts";
import { nodeTuning } from "./node-tuning.ts";
import { nodeTuningScale } from "./node-tuning-scale.ts";
import { render } from "./render.ts";
import { Report } from "./report.ts";
import { requests } from "./requests.ts";
import { startUp } from "./start-up.ts";
import { tuned } from "./tuned.ts";
import { virtualNodes } from "./virtual-nodes.ts";

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
  virtualNodes,
  agent,
];
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const unknown = wanted.filter((name) => !sections.some((section) => section.name === name));
if (unknown.length > 0) {
  console.error(`error: no benchmark ${unknown.join(", ")}: there are ${sections.map(({ name }) => name).join(", ")}`);
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
  // A figure that misses its bar is news; an answer that is wrong is a failure.
  process.exitCode = 1;
  console.error(error instanceof WrongError ? `error: ${error.message}` : error);
}
report.printBars();
