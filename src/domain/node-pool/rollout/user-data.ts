import { at, text } from "../../../language/object/json.ts";
import type { HostedCluster } from "../api.ts";

export interface UserDataInput {
  readonly hostedCluster: HostedCluster;
  /** `namespace/name`. */
  readonly nodePool: string;
  /** In base64. */
  readonly token: string;
  /** The full hash of the configuration. */
  readonly target: string;
  /** PEM in base64: the authority of the server that has the rest. Absent: one that machines trust already. */
  readonly authority?: string | undefined;
}

/** Ignition with which a machine fetches the rest of its configuration. */
export function userDataIgnition({ hostedCluster, nodePool, token, target, authority }: UserDataInput): object {
  const { ignitionEndpoint } = hostedCluster.status ?? {};
  const headers = { Authorization: `Bearer ${token}`, NodePool: nodePool, TargetConfigVersionHash: target };
  const source = {
    source: `https://${ignitionEndpoint}/ignition`,
    httpHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
  };
  const certificateAuthorities = [{ source: `data:text/plain;base64,${authority}` }];
  const proxy = proxyOf(hostedCluster);
  return {
    ignition: {
      version: "3.2.0",
      ...(ignitionEndpoint ? { config: { merge: [source] } } : {}),
      ...(authority === undefined ? {} : { security: { tls: { certificateAuthorities } } }),
      ...(proxy ? { proxy } : {}),
    },
  };
}

/** Names of the machine itself and of the cluster's services. */
const neverProxied = ["127.0.0.1", "localhost", ".svc", ".cluster.local", ".local"];

/** The kind of others has any fields: what is not as it should be counts as absent. */
function proxyOf({ spec }: HostedCluster): object | undefined {
  const given = (field: string): string => text(at(spec?.configuration?.proxy, field));
  const [httpProxy, httpsProxy] = [given("httpProxy"), given("httpsProxy")];
  if (httpProxy === "" && httpsProxy === "") return undefined;
  const networks = ["machineNetwork", "clusterNetwork", "serviceNetwork"].flatMap((field) => {
    const listed = at(spec?.networking, field);
    return Array.isArray(listed) ? listed.map((one) => text(at(one, "cidr"))) : [];
  });
  const users = given("noProxy").split(",");
  const direct = [...neverProxied, ...networks, ...users].map((one) => one.trim()).filter((one) => one !== "");
  return {
    ...(httpProxy === "" ? {} : { httpProxy }),
    ...(httpsProxy === "" ? {} : { httpsProxy }),
    noProxy: [...new Set(direct)].toSorted(),
  };
}
