import type { IncomingMessage } from "node:http";
import type { Pod } from "kubernetes-types/core/v1.js";
import type { Lookup, Subresource } from "../resource.ts";
import { badRequest, internal, notFound, StatusError } from "../status-error.ts";
import { kubeletAddress, type KubeletClient, relay, whileConnected, whyUnreachable } from "./kubelet-client.ts";
import { logQuery } from "./log-options.ts";

/** `GET pods/NAME/log`: a container's log, from the kubelet that runs it. */
export function podLog(objects: Lookup, kubelets: KubeletClient): Subresource {
  return {
    type: "connect",
    kind: "Pod",
    verbs: ["get"],
    connect: async ({ namespace, name, query, response }) => {
      const asked = logQuery(query, name);
      const pod = objects.head("pods", `${namespace}/${name}`) as Pod | undefined;
      if (!pod) throw notFound("", "pods", name);
      const container = containerOf(pod, query.get("container") ?? "");
      const { nodeName } = pod.spec ?? {};
      if (!nodeName) {
        response.writeHead(204);
        response.end();
        return;
      }
      const node = objects.head("nodes", nodeName);
      // kube-apiserver too calls the node a pod here.
      if (!node) throw notFound("", "pods", nodeName);
      const address = kubeletAddress(node);
      const path = `/containerLogs/${[namespace, name, container].map(encodeURIComponent).join("/")}`;
      const target = asked.size > 0 ? `${path}?${asked.toString()}` : path;
      const answer = await kubelets
        .send({ address, method: "GET", path: target, signal: whileConnected(response) })
        .catch((error: unknown) => {
          const url = JSON.stringify(`https://${address.host}:${address.port}${target}`);
          throw new StatusError(500, "", `Get ${url}: ${whyUnreachable(error, address)}`);
        });
      if (answer.statusCode !== 200) throw await refusal(answer, name);
      relay(answer, response, 200, { "content-type": "text/plain" });
    },
  };
}

function containerOf({ metadata, spec }: Pod, asked: string): string {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {};
  const every = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
  if (asked !== "") {
    if (every.includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${metadata?.name}`);
  }
  if (every.length === 1) return every[0] as string;
  const marked = metadata?.annotations?.["kubectl.kubernetes.io/default-container"];
  if (marked !== undefined && every.includes(marked)) return marked;
  throw badRequest(`a container name must be specified for pod ${metadata?.name}, choose one of: [${every.join(" ")}]`);
}

const longest = 50_000;

/** The client's error for a kubelet's error; its text only where it is meant for users. */
async function refusal(answer: IncomingMessage, name: string): Promise<StatusError> {
  const code = answer.statusCode ?? 500;
  let text = "";
  for await (const piece of answer.setEncoding("utf8")) {
    text += String(piece);
    if (text.length > longest) break;
  }
  if (code === 500) return internal(text);
  if (code === 400) return badRequest(text);
  const [reason, words] = generic[code] ?? [
    "",
    `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`,
  ];
  return new StatusError(code, reason, `${words} ( pods/log ${name})`, { name, kind: "pods/log" });
}

const generic: Readonly<Record<number, readonly [reason: string, words: string]>> = {
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  403: ["Forbidden", "the server does not allow access to the requested resource"],
  404: ["NotFound", "the server could not find the requested resource"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
};
