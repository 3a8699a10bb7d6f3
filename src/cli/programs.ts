import { runAgent } from "../agent/agent.ts";
import type { HttpClient } from "../kube/http-client.ts";
import type { Program } from "../lab/kubelet/program.ts";
import type { Log } from "../runtime/log.ts";
import { agentArguments } from "./agent-arguments.ts";

/** What `attune …` is inside a container of a virtual node. All of them share the sockets of one client. */
export function programs(client: HttpClient, log: Log): Program {
  return async ({ args, env, host, connection, node: name, write, signal }) => {
    const [command, ...words] = args;
    if (command !== "agent") throw new Error(`attune ${command ?? ""}: only attune agent runs on virtual nodes`);
    const { root: _, engine, node, ...given } = agentArguments(words, env);
    if (engine === "tuned") throw new Error("--engine tuned: a virtual node has no TuneD");
    write(`agent of node ${node} started`);
    const agentLog = log.child({ part: "agent", node: name });
    await runAgent({ ...given, client: client.for(connection), node, host, signal, log: agentLog });
    write(`agent of node ${node} stopped`);
    return 0;
  };
}
