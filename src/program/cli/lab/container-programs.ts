import { runManagement } from "../../management/management.ts";
import { runAgent } from "../../agent/agent.ts";
import type { Connection } from "../../../cluster/kube/connect/connection.ts";
import { inlineConnection } from "../../../cluster/kube/connect/inline-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import type { Program, ProgramRun } from "../../../embedded/lab/kubelet/container/program.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { agentOptions } from "../agent/agent.ts";
import { imageVariable, prepareNextBoot } from "../agent/prepare-next-boot.ts";
import { agentFlags, managementFlags, operatorFlags } from "../flags.ts";
import { managementOptions } from "../management.ts";
import { isHosted, runOperatorWith } from "../operator/run-operator.ts";
import { parseArguments } from "../option/flag.ts";
import { scyllaAgent, scyllaGate, scyllaWait, tuneHost } from "./scylla-programs.ts";
import { version } from "../../version.ts";
import { consoleProgram } from "./console-program.ts";
import { containerLogs } from "./container-logs.ts";
import { webhookProgram } from "./webhook-program.ts";

/** The programs of `attune …` that containers of virtual nodes run. All of them share the sockets of one client. */
export function programs(client: HttpClient, lab: Log): Program {
  const logOf = containerLogs(lab);
  return async (run) => {
    const [command, ...args] = run.args;
    const log = await logOf(run);
    if (command === "agent") return agent(args, run, client, log);
    if (command === "operator") return operator(args, run, client, log);
    if (command === "management") return management(args, run, client, log);
    if (command === "console") return consoleProgram(args, run, log);
    if (command === "webhook") return webhookProgram(args, run, client, log);
    if (command === "scylla-gate") return scyllaGate(args, run, client);
    if (command === "scylla-wait") return scyllaWait(args, run);
    if (command === "scylla-agent") return scyllaAgent(args, run, client, log);
    if (command === "perftune") return tuneHost(args, run);
    const known = "agent, operator, management, webhook, console, perftune, scylla-agent, scylla-gate and scylla-wait";
    throw new Error(`attune ${command ?? ""}: only ${known} run on virtual nodes`);
  };
}

async function agent(args: string[], run: ProgramRun, client: HttpClient, log: Log): Promise<number> {
  const { env, host, connection, user, signal } = run;
  const { engine, node, ...given } = agentOptions(parseArguments(agentFlags, args, env));
  if (user !== "0" && user !== "root")
    throw new Error(`only root may tune this host, and the container runs as ${user}`);
  if (engine === "tuned") throw new Error("--engine tuned: a virtual node has no TuneD");
  log.info({}, `attune ${version} agent of node ${node}, on ${connection.cluster.server}`);
  const { machineConfig } = given;
  await prepareNextBoot({ host, image: env[imageVariable], machineConfig, log });
  // Devices of virtual nodes do not change, and a process may have thousands of them.
  const pollIntervalMs = 600_000;
  // All virtual nodes have one loopback address.
  const own = { ...given, pollIntervalMs, probeAddress: undefined };
  await runAgent({ ...own, client: client.for(connection), node, host, signal, log });
  return 0;
}

async function operator(args: string[], run: ProgramRun, client: HttpClient, log: Log): Promise<number> {
  const { env, connection, write, signal } = run;
  // Its pod has no port of its own, so the operator serves neither probes nor metrics nor first boots here.
  const none = { probeAddress: undefined, metricsAddress: undefined, firstBootAddress: undefined };
  const given = { ...parseArguments(operatorFlags, args, env), ...none };
  const own = client.for(connection);
  const common = { signal, print: write, log };
  if (!isHosted(given, env)) {
    await runOperatorWith(given, env, { ...common, client: own });
    return 0;
  }
  const hosted = new HttpClient(await mountedConnection(run));
  try {
    await runOperatorWith(given, env, { ...common, client: hosted, management: own });
  } finally {
    hosted.close();
  }
  return 0;
}

async function management(args: string[], run: ProgramRun, client: HttpClient, log: Log): Promise<number> {
  const { env, connection, signal } = run;
  const given = { ...managementOptions(parseArguments(managementFlags, args, env)), probeAddress: undefined };
  await runManagement({
    ...given,
    client: client.for(connection),
    signal,
    log,
  });
  return 0;
}

/** To the hosted cluster: a Secret that the pod mounts has its kubeconfig. */
async function mountedConnection({ env, files }: ProgramRun): Promise<Connection> {
  const path = env["KUBECONFIG"] ?? "";
  const file = await files.read(path);
  if (file.type !== "text") throw new Error(`--mode hosted: $KUBECONFIG names no file: ${path || "it is empty"}`);
  return inlineConnection(file.text, path);
}
