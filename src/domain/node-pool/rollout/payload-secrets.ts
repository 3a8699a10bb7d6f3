import { type ObjectReference, type PlannedObject, referenceTo } from "../../../language/object/plan.ts";
import { formatTime, parseTime } from "../../../language/object/time.ts";
import { group, keys } from "../../hosted/protocol.ts";
import { managedBy } from "../hosted-cluster/marks.ts";
import { managementOf } from "./management.ts";
import type { RolloutInput, Secret } from "./rollout-plan.ts";
import type { Wanted } from "./target.ts";
import { userDataIgnition } from "./user-data.ts";

/** Annotations of a token Secret. */
const marks = {
  ignition: `${group}/ignition-config`,
  upgradeType: `${group}/node-pool-upgrade-type`,
  generated: `${group}/last-token-generation-time`,
  expires: `${group}/ignition-token-expiration-timestamp`,
} as const;

/** Machines that are booting with an overtaken token may finish. */
const expiresAfterMs = 2 * 60 * 60_000;

export const tokenSecret = (nodePool: string, hash: string): string => `token-${nodePool}-${hash}`;
export const userDataSecret = (nodePool: string, hash: string): string => `user-data-${nodePool}-${hash}`;

export interface SecretsPlan {
  readonly objects: readonly PlannedObject[];
  readonly prunes: readonly ObjectReference[];
  readonly againInMs?: number | undefined;
}

/** The Secrets that machines boot with: those of the target, and no longer than needed those before. */
export function planSecrets(input: RolloutInput, wanted: Wanted, current: string): SecretsPlan {
  const { nodePool, secrets, now } = input;
  const { name = "" } = nodePool.metadata;
  const { full } = wanted.target;
  const own = secrets.filter((secret) => isOf(secret, nodePool.metadata));
  const [token, userData] = [tokenSecret(name, full), userDataSecret(name, full)];
  const there = own.find(({ metadata }) => metadata.name === token);
  const active = activeToken(input, wanted, there);
  const overtaken = own.filter(({ metadata }) => metadata.name !== token && metadata.name !== userData);
  const expiring = overtaken.flatMap((secret) => expiryOf(secret, tokenSecret(name, current), now) ?? []);
  const kept = new Set(expiring.map(({ secret }) => secret));
  const soonest = Math.min(...expiring.map(({ at }) => at - now));
  return {
    objects: [
      planned(active, [marks.expires]),
      planned(userDataFor(input, { token: active.data?.["token"] ?? "", full, name: userData })),
      ...expiring.flatMap(({ secret, isNew, at }) => (isNew ? [planned(withExpiry(secret, at))] : [])),
    ],
    prunes: overtaken.filter((secret) => !kept.has(secret)).map(referenceTo),
    ...(Number.isFinite(soonest) ? { againInMs: Math.max(0, soonest) } : {}),
  };
}

/** By the annotation, and by a name that only such a Secret has. */
export function isOf(
  { metadata }: Secret,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): boolean {
  const { annotations = {}, name: own = "" } = metadata;
  if (!Object.hasOwn(annotations, keys.nodePool) || annotations[keys.nodePool] !== `${namespace}/${name}`) return false;
  return [tokenSecret(name ?? "", ""), userDataSecret(name ?? "", "")].some(
    (prefix) => own.startsWith(prefix) && /^[0-9a-f]{8,64}$/.test(own.slice(prefix.length)),
  );
}

/** A token that exists stays: machines have it. */
function activeToken(input: RolloutInput, { target, payload }: Wanted, there: Secret | undefined): Secret {
  const { nodePool, newToken, now } = input;
  const generated = there?.metadata.annotations?.[marks.generated] ?? formatTime(now);
  return secretFor(input, {
    name: tokenSecret(nodePool.metadata.name ?? "", target.full),
    annotations: {
      [marks.ignition]: "true",
      [marks.upgradeType]: managementOf(nodePool).upgradeType,
      [marks.generated]: generated,
    },
    data: {
      token: there?.data?.["token"] ?? btoa(newToken()),
      release: btoa(nodePool.spec?.release?.image ?? ""),
      "release-version": btoa(target.version),
      config: btoa(payload),
    },
  });
}

function userDataFor(input: RolloutInput, of: { token: string; full: string; name: string }): Secret {
  const { namespace, name } = input.nodePool.metadata;
  const { token, full: target } = of;
  const ignition = userDataIgnition({ ...input, nodePool: `${namespace}/${name}`, token, target });
  return secretFor(input, {
    name: of.name,
    annotations: {},
    data: { disableTemplating: btoa(btoa("true")), value: btoa(JSON.stringify(ignition)) },
  });
}

function secretFor(
  { nodePool, namespace }: RolloutInput,
  { name, annotations, data }: { name: string; annotations: Record<string, string>; data: Record<string, string> },
): Secret {
  const { namespace: of, name: pool } = nodePool.metadata;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      namespace,
      labels: { ...managedBy },
      annotations: { [keys.nodePool]: `${of}/${pool}`, ...annotations },
    },
    type: "Opaque",
    data,
  };
}

interface Expiring {
  readonly secret: Secret;
  readonly at: number;
  readonly isNew: boolean;
}

/** Undefined: it is deleted now. Only the token of a configuration that nodes have had lives on for a while. */
function expiryOf(secret: Secret, current: string, now: number): Expiring | undefined {
  const { name = "", annotations = {} } = secret.metadata;
  if (!name.startsWith("token-")) return undefined;
  const noted = Object.hasOwn(annotations, marks.expires) ? parseTime(annotations[marks.expires] ?? "") : undefined;
  if (noted !== undefined) return noted > now ? { secret, at: noted, isNew: false } : undefined;
  return name === current ? { secret, at: now + expiresAfterMs, isNew: true } : undefined;
}

function withExpiry({ metadata, ...secret }: Secret, at: number): Secret {
  const { name, namespace, annotations } = metadata;
  return { ...secret, metadata: { name, namespace, annotations: { ...annotations, [marks.expires]: formatTime(at) } } };
}

function planned(object: Secret, absentAnnotations: readonly string[] = []): PlannedObject {
  return {
    owns: "whole",
    object,
    absentAnnotations,
    ownerless: true,
    because: "machines of the NodePool boot with it",
  };
}
