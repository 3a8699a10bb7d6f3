import type { IncomingHttpHeaders } from "node:http";
import type { Lookup, Subresource } from "../resource.ts";
import { badRequest, notFound, StatusError } from "../status-error.ts";
import { kubeletAddress, type KubeletClient, relay, whileConnected, whyUnreachable } from "./kubelet-client.ts";

/** `nodes/NAME/proxy/…`: any path of a kubelet. */
export function nodeProxy(objects: Lookup, kubelets: KubeletClient): Subresource {
  return {
    type: "connect",
    kind: "NodeProxyOptions",
    verbs: ["create", "delete", "get", "patch", "update"],
    connect: async ({ name, path, request, response }) => {
      const { node: nodeName, port } = target(name);
      const node = objects.head("nodes", nodeName);
      if (!node) throw notFound("", "nodes", nodeName);
      const address = kubeletAddress(node);
      // Only the kubelet's port: kubelets of virtual nodes share the machine with other programs.
      if (port !== undefined && port !== String(address.port)) throw badRequest("address not allowed");
      const answer = await kubelets
        .send({
          address,
          method: request.method ?? "GET",
          path,
          headers: passed(request.headers),
          body: request.method === "GET" || request.method === "HEAD" ? undefined : request,
          signal: whileConnected(response),
        })
        .catch((error: unknown) => {
          const why = `error trying to reach service: ${whyUnreachable(error, address)}`;
          throw new StatusError(503, "ServiceUnavailable", why, {});
        });
      relay(answer, response, answer.statusCode ?? 502, passed(answer.headers));
    },
  };
}

/** `NAME`, `NAME:PORT` or `https:NAME:PORT`. */
function target(text: string): { node: string; port?: string } {
  const parts = text.split(":");
  if (parts.length === 1) return { node: text };
  const [node = "", port = ""] = parts.length === 3 && parts[0] === "https" ? parts.slice(1) : parts;
  if (parts.length > 3 || (parts.length === 3 && parts[0] !== "https"))
    throw badRequest(`invalid node request ${JSON.stringify(text)}`);
  return port === "" ? { node } : { node, port };
}

/** Headers that are not passed on: those of one connection, and the client's credentials. */
const withheld = new Set([
  "authorization",
  "connection",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function passed(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !withheld.has(name) && !name.startsWith(":") && !name.startsWith("impersonate-"),
    ),
  );
}
