import { runAgent } from "../../agent/agent.ts";
import type { HttpClient } from "../../../cluster/kube/http-client.ts";
import type { Program, ProgramRun } from "../../../embedded/lab/kubelet/container/program.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { agentArguments } from "../agent/arguments.ts";
import { operatorWords, runOperatorWith } from "../operator/arguments.ts";

/** What `attune …` is inside a container of a virtual node. All of them share the sockets of one client. */
export function programs(client: HttpClient, log: Log): Program {
  return async (run) => {
    const [command, ...words] = run.args;
    if (command === "agent") return agent(words, run, client, log);
    if (command === "operator") return operator(words, run, client, log);
    throw new Error(`attune ${command ?? ""}: only attune agent and attune operator run on virtual nodes`);
  };
}

async function agent(words: string[], run: ProgramRun, client: HttpClient, log: Log): Promise<number> {
  const { env, host, connection, node: name, write, signal } = run;
  const { root: _, engine, node, ...given } = agentArguments(words, env);
  if (engine === "tuned") throw new Error("--engine tuned: a virtual node has no TuneD");
  write(`agent of node ${node} started`);
  const agentLog = log.child({ part: "agent", node: name });
  await runAgent({ ...given, client: client.for(connection), node, host, signal, log: agentLog });
  write(`agent of node ${node} stopped`);
  return 0;
}

async function operator(words: string[], run: ProgramRun, client: HttpClient, log: Log): Promise<number> {
  const { env, connection, node, write, signal } = run;
  const given = operatorWords(words, env);
  const operatorLog = log.child({ part: "operator", node });
  await runOperatorWith(given, { client: client.for(connection), signal, tell: write, log: operatorLog });
  return 0;
}
