import type { Json } from "../../../language/object/json.ts";
import { BodyBudget } from "../../../cluster/runtime/body-budget.ts";
import { maxHeldBytes } from "../body/body.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { Admission, type AdmissionPlugin } from "../admission/admission.ts";
import { admissionPlugins } from "../admission/admission-plugins.ts";
import { ClusterAuthorizer } from "../auth/cluster-authorizer.ts";
import { NodeAuthorizer } from "../auth/node/node-authorizer.ts";
import { NodeRelations } from "../auth/node/node-relations.ts";
import { ServicePools } from "../allocation/service-pools.ts";
import { RbacAuthorizer, SUPERUSERS } from "../auth/rbac/rbac.ts";
import type { User } from "../auth/user.ts";
import { WebhookConverter } from "../conversion/webhook-converter.ts";
import { definitionResource } from "../custom/definition-resource.ts";
import { Definitions } from "../housekeeping/definitions.ts";
import { Namespaces } from "../housekeeping/namespaces.ts";
import { generateName } from "../generate-name.ts";
import { builtinResources } from "../kinds/builtin-resources.ts";
import { heldByService } from "../kinds/network/service/service-spec.ts";
import { QuotaLedger } from "../quota/quota-ledger.ts";
import { Registry } from "../registry.ts";
import type { Answer, RequestContext, Services } from "../request/context.ts";
import { create } from "../request/create.ts";
import { remove, removeCollection } from "../request/delete.ts";
import { get } from "../request/get.ts";
import { list } from "../request/list.ts";
import { patch } from "../request/patch.ts";
import { FairQueue } from "../request/fair-queue.ts";
import { update } from "../request/update.ts";
import type { Resource } from "../resource.ts";
import type { ReviewClient } from "../webhook-client/review-client.ts";
import type { HistoryLimits } from "../storage/history.ts";
import { type Backend, MemoryBackend } from "../storage/store.ts";
import { ObjectStore } from "../storage/object-store.ts";
import { StoreReader } from "../storage/store-reader.ts";
import { Views } from "../storage/views.ts";

export interface SmallServerOptions {
  readonly backend?: Backend;
  readonly history?: Partial<HistoryLimits>;
  /** In addition to the built-in ones. */
  readonly resources?: readonly Resource[];
  /** Plug-ins in addition to the server's own. */
  readonly admission?: readonly AdmissionPlugin[];
  /** Calls webhooks. Default: every call fails. */
  readonly reviews?: ReviewClient;
  readonly generateName?: Services["generateName"];
  /** Of several servers. Default: its own. */
  readonly clock?: VirtualClock;
}

/** What a request names besides its resource. */
export interface Target {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
  readonly query?: Record<string, string> | undefined;
  readonly user?: User | undefined;
}

/** An object in a test, without kind and apiVersion, which are the resource's. */
export type Body = { readonly metadata: KubeObject["metadata"]; readonly [field: string]: unknown };

const unreachable: ReviewClient = {
  ask: () => Promise.reject(new Error("there is no network here")),
  close: () => undefined,
};

const admin: User = { name: "admin", groups: [SUPERUSERS] };

/** The server without sockets: tests call request handlers directly, on a virtual clock. */
export class SmallServer {
  readonly clock: VirtualClock;
  readonly services: Services;
  /** Of the last request. */
  warnings: string[] = [];

  constructor({
    backend = new MemoryBackend(),
    history = {},
    resources = [],
    admission = [],
    reviews = unreachable,
    generateName: nextName = generateName,
    clock = new VirtualClock(),
  }: SmallServerOptions = {}) {
    this.clock = clock;
    const store = new ObjectStore(backend, { history: history });
    const reader = new StoreReader(store);
    const authorizer = new ClusterAuthorizer(new NodeAuthorizer(new NodeRelations(store)), new RbacAuthorizer(reader));
    const registry = new Registry([...builtinResources(), definitionResource, ...resources]);
    const views = new Views(new WebhookConverter(reviews));
    const convert: Views["convert"] = (object, to) => views.convert(object, to);
    const around = { objects: reader, registry, authorizer, client: reviews, clock, convert };
    this.services = {
      store,
      reader,
      views,
      pools: new ServicePools(store, { heldBy: heldByService }),
      quotas: new QuotaLedger(reader),
      registry,
      authorizer,
      admission: new Admission([...admissionPlugins(around), ...admission]),
      bodies: new BodyBudget(maxHeldBytes),
      writeQueue: new FairQueue(clock),
      clock,
      generateName: nextName,
    };
  }

  get store(): ObjectStore {
    return this.services.store;
  }

  /** Starts the housekeeping of definitions and namespaces. */
  startHousekeeping(): () => void {
    const stops = [
      new Definitions(this.services, definitionResource, noLog).start(),
      new Namespaces(this.services, noLog).start(),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Waits until there are no more writes. */
  async settled(): Promise<void> {
    for (let before = -1; before !== this.store.revision;) {
      before = this.store.revision;
      await this.clock.advance(0);
    }
  }

  /** `pods`; with several versions `widgets/v2`; with several groups `events.events.k8s.io`. */
  resource(name: string): Resource {
    const [plural, version] = name.split("/");
    const found = this.services.registry
      .all()
      .find(
        (resource) =>
          (resource.plural === plural || `${resource.plural}.${resource.group}` === plural) &&
          (version === undefined || resource.version === version),
      );
    if (!found) throw new Error(`${name} is not served`);
    return found;
  }

  serves(name: string): boolean {
    return this.services.registry.all().some(({ plural }) => plural === name);
  }

  context(name: string, { namespace = "", name: object = "", subresource = "", query, user }: Target): RequestContext {
    this.warnings = [];
    return {
      services: this.services,
      resource: this.resource(name),
      user: user ?? admin,
      namespace,
      name: object,
      subresource,
      query: new URLSearchParams(query),
      userAgent: "test",
      warnings: this.warnings,
    };
  }

  async create(name: string, body: Body, target: Target = {}): Promise<KubeObject> {
    const context = this.context(name, { namespace: body.metadata.namespace ?? "", ...target });
    return this.#shown(context, await create(context, parsed(body)));
  }

  /** For tests that only need namespaces to exist. */
  async createNamespaces(...names: string[]): Promise<void> {
    await Promise.all(names.map((name) => this.create("namespaces", { metadata: { name } })));
  }

  /** Namespaces with the default ServiceAccount, which pods need. */
  async createNamespacesForPods(...names: string[]): Promise<void> {
    await this.createNamespaces(...names);
    await Promise.all(
      names.map((namespace) => this.create("serviceaccounts", { metadata: { name: "default", namespace } })),
    );
  }

  get(name: string, target: Target): KubeObject {
    const context = this.context(name, target);
    return this.#objectIn(context, get(context));
  }

  exists(name: string, { namespace = "", name: object = "" }: Target): boolean {
    const { group, plural } = this.resource(name);
    return (
      this.store.get(group ? `${plural}.${group}` : plural, namespace ? `${namespace}/${object}` : object) !== undefined
    );
  }

  list(name: string, target: Target = {}): Listed {
    const context = this.context(name, target);
    const answer = list(context);
    if (answer instanceof Promise || answer.type !== "list") throw new Error("a list is answered with a list");
    const { entries, ...meta } = answer;
    return { ...meta, names: entries.map(({ key }) => key) };
  }

  async update(name: string, body: Body, target: Target = {}): Promise<KubeObject> {
    const { namespace = "", name: object = "" } = body.metadata;
    const context = this.context(name, { namespace, name: object, ...target });
    return this.#shown(context, await update(context, parsed(body)));
  }

  async patch(name: string, target: Target, body: object): Promise<KubeObject> {
    const context = this.context(name, target);
    return this.#shown(context, await patch(context, JSON.stringify(body), "application/merge-patch+json"));
  }

  async delete(name: string, target: Target, options: Json = null): Promise<KubeObject> {
    const context = this.context(name, target);
    return this.#shown(context, await remove(context, options));
  }

  async deleteCollection(name: string, target: Target, options: Json = null): Promise<string[]> {
    const answer = await removeCollection(this.context(name, target), options);
    return answer.type === "list" ? answer.entries.map(({ key }) => key) : [];
  }

  async #shown(context: RequestContext, answer: Answer): Promise<KubeObject> {
    if (answer.type === "entry") await this.services.views.ready([answer.entry], context.resource);
    return this.#objectIn(context, answer);
  }

  #objectIn({ resource }: RequestContext, answer: Answer): KubeObject {
    if (answer.type === "list") throw new Error("one object was expected, not a list");
    if (answer.type === "entry") return this.services.views.object(answer.entry, resource);
    return structuredClone(answer.object) as KubeObject;
  }
}

export interface Listed {
  readonly names: string[];
  readonly revision: number;
  readonly continue?: string;
  readonly remaining?: number;
}

function parsed(body: Body): { value: Json; duplicates: string[] } {
  return { value: structuredClone(body) as Json, duplicates: [] };
}
