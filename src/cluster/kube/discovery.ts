import { apiVersionOf } from "../../language/object/meta.ts";
import { isNotFound } from "./api-error.ts";
import type { Client, KindRef, RequestOptions } from "./client.ts";

export interface DiscoveredKind extends KindRef {
  readonly group: string;
  readonly version: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly verbs: readonly string[];
  /** `status`, `scale`. */
  readonly subresources: readonly string[];
}

interface ApiResourceList {
  resources?: {
    name: string;
    singularName?: string;
    namespaced: boolean;
    kind: string;
    verbs?: string[];
    shortNames?: string[];
  }[];
}

interface ApiGroupList {
  groups?: { name: string; versions: { groupVersion: string }[]; preferredVersion?: { groupVersion: string } }[];
}

/** Which kinds a server has. Found kinds are cached; a kind not found is requested again, since kinds can be added. */
export class Discovery {
  readonly #client: Pick<Client, "raw">;
  readonly #known = new Map<string, Promise<readonly DiscoveredKind[]>>();

  constructor(client: Pick<Client, "raw">) {
    this.#client = client;
  }

  invalidate(): void {
    this.#known.clear();
  }

  async kind(apiVersion: string, kind: string, options?: RequestOptions): Promise<DiscoveredKind | undefined> {
    const find = async (): Promise<DiscoveredKind | undefined> =>
      (await this.kindsOf(apiVersion, options)).find((one) => one.kind === kind);
    const cached = this.#known.has(apiVersion);
    const found = await find();
    if (found || !cached) return found;
    this.#known.delete(apiVersion);
    return find();
  }

  /**
   * Finds a kind by what users type: `nodes`, `node`, `no`, `Node`, `tuneds.tuned.openshift.io`, `leases.v1.coordination.k8s.io`.
   * The core group comes first, then groups in the server's order, each in its preferred version.
   */
  async resource(name: string, options?: RequestOptions): Promise<DiscoveredKind | undefined> {
    const wanted = name.toLowerCase();
    const dot = wanted.indexOf(".");
    const word = dot < 0 ? wanted : wanted.slice(0, dot);
    const suffix = dot < 0 ? undefined : wanted.slice(dot + 1);
    const versions = await this.#versions(options);
    const preferred = versions.filter(
      ({ group, version, isPreferred }) =>
        (suffix === undefined && isPreferred) ||
        (suffix === group && isPreferred) ||
        suffix === `${version}.${group}` ||
        (group === "" && suffix === version),
    );
    const lists = await Promise.all(preferred.map(async ({ apiVersion }) => this.kindsOf(apiVersion, options)));
    const all = lists.flat();
    return (
      all.find((one) => one.plural === word || one.singular === word || one.kind.toLowerCase() === word) ??
      all.find((one) => one.shortNames.includes(word))
    );
  }

  /** All kinds of all groups, each in the preferred version of its group. */
  async all(options?: RequestOptions): Promise<DiscoveredKind[]> {
    const preferred = (await this.#versions(options)).filter(({ isPreferred }) => isPreferred);
    const lists = await Promise.all(preferred.map(async ({ apiVersion }) => this.kindsOf(apiVersion, options)));
    return lists.flat();
  }

  /** All kinds of one group and version; empty when the server does not have it. */
  async kindsOf(apiVersion: string, options?: RequestOptions): Promise<readonly DiscoveredKind[]> {
    const known = this.#known.get(apiVersion);
    if (known) return known;
    const request = this.#fetch(apiVersion, options);
    this.#known.set(apiVersion, request);
    const found = await request.catch((error: unknown) => {
      this.#known.delete(apiVersion);
      throw error;
    });
    if (found.length === 0) this.#known.delete(apiVersion);
    return found;
  }

  async #fetch(apiVersion: string, options?: RequestOptions): Promise<readonly DiscoveredKind[]> {
    const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    const path = `${group === "" ? "/api" : `/apis/${encodeURIComponent(group)}`}/${encodeURIComponent(version)}`;
    try {
      const list = (await this.#client.raw("GET", path, undefined, options)) as ApiResourceList | null;
      return readKinds(list ?? {}, group, version);
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }

  async #versions(
    options?: RequestOptions,
  ): Promise<{ apiVersion: string; group: string; version: string; isPreferred: boolean }[]> {
    const { groups = [] } = ((await this.#client.raw("GET", "/apis", undefined, options)) ?? {}) as ApiGroupList;
    const core = { apiVersion: "v1", group: "", version: "v1", isPreferred: true };
    return [
      core,
      ...groups.flatMap(({ name, versions, preferredVersion }) =>
        versions.map(({ groupVersion }) => ({
          apiVersion: groupVersion,
          group: name,
          version: groupVersion.slice(name.length + 1),
          isPreferred: groupVersion === (preferredVersion ?? versions[0])?.groupVersion,
        })),
      ),
    ];
  }
}

function readKinds({ resources = [] }: ApiResourceList, group: string, version: string): DiscoveredKind[] {
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, singularName, namespaced, kind, verbs = [], shortNames = [] }) => ({
      apiVersion: apiVersionOf(group, version),
      kind,
      plural: name,
      namespaced,
      group,
      version,
      singular: singularName || kind.toLowerCase(),
      shortNames,
      verbs,
      subresources: resources
        .filter((one) => one.name.startsWith(`${name}/`))
        .map((one) => one.name.slice(name.length + 1)),
    }));
}
