import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import type { PoolOrder } from "../../../../domain/hosted/handover/pool-order.ts";
import { orderedPool, orderedSources } from "../../../../domain/hosted/rollout/ordered-pool.ts";
import { renderPool } from "../../../../domain/machine-config/render-pool.ts";
import { tokenSecret } from "../../../../domain/node-pool/rollout/payload-secrets.ts";
import type { Secret } from "../../../../domain/node-pool/rollout/rollout-plan.ts";
import type { TokenFile } from "../../../../domain/rollout/first-boot/token-file.ts";
import { describeProblem } from "../../../../domain/rollout/rendering.ts";
import type { Fetched, FetchPayload } from "../../../../node/on-node/first-boot/fetch-payload.ts";
import { sha256 } from "../../../operator/sha256.ts";
import { version } from "../../../version.ts";

interface IgnitionSource {
  readonly config?: { readonly merge: readonly { source: string; httpHeaders: { name: string; value: string }[] }[] };
}

/** What a machine boots with first, by the Ignition config in its Secret. Undefined: that names no place to fetch the rest from. */
export function tokenFileOf(userData: Secret, node: string): TokenFile | undefined {
  const { ignition } = JSON.parse(decoded(userData, "value")) as { ignition: IgnitionSource };
  const [merged] = ignition.config?.merge ?? [];
  if (!merged) return undefined;
  const { source: server, httpHeaders } = merged;
  const header = (wanted: string): string => httpHeaders.find(({ name }) => name === wanted)?.value ?? "";
  const token = header("Authorization").replace("Bearer ", "");
  // Nothing is sent: the lab itself answers.
  return { server, certificateAuthority: "of the lab", node, pool: header("NodePool"), token };
}

/** Plays the server that machines fetch their configuration from. */
export function ignitionServer(client: Client, namespace: string): FetchPayload {
  return async ({ token, pool }, _key, signal) => {
    const { items } = await client.list(kinds.secret, { namespace, signal });
    const secret = (items as Secret[]).find(({ data }) => data?.["token"] === token);
    if (!secret) return { type: "refused", why: `no Secret of ${namespace} has the token` };
    return configOf(secret, pool);
  };
}

function configOf(secret: Secret, pool: string): Fetched {
  const [namespace = "", name = ""] = pool.split("/");
  const full = secret.metadata.name?.slice(tokenSecret(name, "").length) ?? "";
  const order: PoolOrder = {
    nodePool: { namespace, name, generation: 0 },
    upgradeType: "Replace",
    maxUnavailable: 1,
    paused: false,
    target: { full, withoutVersion: full, version: decoded(secret, "release-version") },
    payload: decoded(secret, "config"),
  };
  const { sources, problems } = orderedSources(order, version);
  const [problem] = problems;
  if (problem) return { type: "refused", why: describeProblem(problem) };
  if (sources.length === 0) return { type: "nothing" };
  const rendering = renderPool({ pool: orderedPool(order), machineConfigs: sources, version, digest: sha256 });
  if (rendering.type === "refused") return { type: "refused", why: rendering.problems.map(describeProblem).join("; ") };
  const { metadata, spec } = rendering.config;
  return { type: "config", config: { name: metadata.name ?? "", spec: { ...spec } } };
}

function decoded({ data }: Secret, key: string): string {
  return Buffer.from(data?.[key] ?? "", "base64").toString("utf8");
}
