import { join } from "node:path";
import { BodyBudget } from "../../cluster/runtime/body-budget.ts";
import { maxHeldBytes } from "./body/body.ts";
import { systemClock, type Clock } from "../../cluster/runtime/clock.ts";
import { ServicePools } from "./allocation/service-pools.ts";
import { admissionPlugins } from "./admission/admission-plugins.ts";
import { Admission } from "./admission/admission.ts";
import { builtinPlugins } from "./admission/builtin/builtin-plugins.ts";
import { Authenticator } from "./auth/authenticator.ts";
import { openAuthority, type Authority } from "./auth/authority.ts";
import { ClusterAuthorizer } from "./auth/cluster-authorizer.ts";
import { writeKubeconfig } from "./auth/kubeconfig.ts";
import { NodeAuthorizer } from "./auth/node/node-authorizer.ts";
import { NodeRelations } from "./auth/node/node-relations.ts";
import { RbacAuthorizer } from "./auth/rbac/rbac.ts";
import { reviewResources, tokenRequestAction } from "./auth/reviews.ts";
import { ServiceAccountTokens } from "./auth/token/service-account-token.ts";
import { WebhookConverter } from "./conversion/webhook-converter.ts";
import { definitionResource } from "./custom/definition-resource.ts";
import { writeKubernetesService } from "./housekeeping/kubernetes-service.ts";
import { ApiServices } from "./housekeeping/api-services.ts";
import { bootstrap } from "./housekeeping/bootstrap.ts";
import { Definitions } from "./housekeeping/definitions.ts";
import { expireEvents } from "./housekeeping/event-expiry.ts";
import { GarbageCollector } from "./housekeeping/garbage-collector.ts";
import { NamespaceDefaults } from "./housekeeping/namespace-defaults.ts";
import { expireJobs } from "./housekeeping/job-expiry.ts";
import { Namespaces } from "./housekeeping/namespaces.ts";
import { reportPolicyStatus } from "./housekeeping/policy-status.ts";
import { reportQuotaStatus } from "./housekeeping/quota-status.ts";
import { deleteEndpointsOfServices } from "./housekeeping/service-endpoints.ts";
import { Dispatcher } from "./http/dispatch.ts";
import { listen } from "./http/listener.ts";
import { Paths } from "./http/paths.ts";
import { builtinResources } from "./kinds/builtin-resources.ts";
import { heldByService } from "./kinds/network/service/service-spec.ts";
import { definition } from "./kinds/definitions.ts";
import { makeOwnFolder } from "../../cluster/runtime/own-folder.ts";
import { noLog, type Log } from "../../cluster/runtime/log/log.ts";
import { KubeletClient } from "./proxy/kubelet-client.ts";
import { nodeProxy } from "./proxy/node-proxy.ts";
import { podLog } from "./proxy/pod-log.ts";
import { generateName } from "./generate-name.ts";
import { QuotaLedger } from "./quota/quota-ledger.ts";
import { Registry } from "./registry.ts";
import { HttpReviewClient } from "./webhook-client/http-review-client.ts";
import type { Resource } from "./resource.ts";
import type { Services } from "./request/context.ts";
import { podBinding } from "./request/subresource/pod-binding.ts";
import { podEviction } from "./request/subresource/pod-eviction.ts";
import { FairQueue } from "./request/fair-queue.ts";
import { type Backend, MemoryBackend } from "./storage/store.ts";
import { hasObjects } from "./storage/lmdb-file.ts";
import { ObjectStore } from "./storage/object-store.ts";
import { StoreReader } from "./storage/store-reader.ts";
import { Views } from "./storage/views.ts";

export interface ServerOptions {
  /** Holds keys, objects and the admin kubeconfig. */
  readonly dir: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default `lmdb`: durable in `dir`. */
  readonly storage?: "lmdb" | "memory";
  /** Survive a power loss too. Default false. */
  readonly fsync?: boolean;
  /**
   * Default true. Without it namespaces stay Terminating and have no default ServiceAccount, and garbage is not
   * collected, as with kube-apiserver without kube-controller-manager.
   */
  readonly housekeeping?: boolean;
  /** Admission plug-ins to leave out, by kube-apiserver's names. */
  readonly disabledPlugins?: readonly string[];
  readonly clock?: Clock;
  readonly log?: Log;
}

export interface ApiServer {
  readonly url: string;
  readonly port: number;
  readonly kubeconfig: string;
  readonly authority: Authority;
  close(): Promise<void>;
}

/** The embedded API server, listening and ready when this resolves. */
export async function startServer(options: ServerOptions): Promise<ApiServer> {
  const closers: Closer[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    return { ...(await start(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Undoes one step of the start. */
type Closer = () => void | Promise<void>;

async function start(options: ServerOptions, closers: Closer[]): Promise<Omit<ApiServer, "close">> {
  const { dir, host = "127.0.0.1", clock = systemClock, log = noLog } = options;
  makeOwnFolder(dir);
  const isInUse = options.storage !== "memory" && hasObjects(join(dir, "objects"));
  const [authority, openBackend] = await Promise.all([openAuthority(dir, { clock, isInUse }), loadBackend(options)]);
  // After the keys: a directory with objects has keys as well, also if its first start is interrupted.
  const backend = openBackend();
  const store = new ObjectStore(backend, {
    onWatcherError: (error) => log.error({ error }, "store watcher failed"),
  });
  closers.push(() => store.close());
  const reader = new StoreReader(store);
  const reviews = new HttpReviewClient({ objects: reader, clock });
  closers.push(() => reviews.close());
  const authorizer = new ClusterAuthorizer(new NodeAuthorizer(new NodeRelations(store)), new RbacAuthorizer(reader));
  const serviceAccountTokens = new ServiceAccountTokens({ key: authority.serviceAccountKey, objects: reader, clock });
  const authenticator = new Authenticator({
    authorizer,
    serviceAccountTokens,
    staticTokens: new Map([
      [authority.adminToken, { name: "admin", uid: "admin", groups: ["system:masters", "system:authenticated"] }],
    ]),
  });
  const kubelets = new KubeletClient(authority.issue({ commonName: "system:kube-apiserver", purpose: "client" }));
  closers.push(() => kubelets.close());
  const registry: Registry = new Registry(
    resources({ reader, authorizer, authenticator, serviceAccountTokens, clock, kubelets, services: () => services }),
  );
  const pools = new ServicePools(store, { heldBy: heldByService });
  const views = new Views(new WebhookConverter(reviews));
  const plugins = admissionPlugins({
    objects: reader,
    registry,
    authorizer,
    client: reviews,
    clock,
    convert: (object, to) => views.convert(object, to),
  });
  const admission = new Admission(plugins.filter(({ name }) => !options.disabledPlugins?.includes(name)));
  const services: Services = {
    store,
    reader,
    views,
    pools,
    quotas: new QuotaLedger(reader),
    registry,
    authorizer,
    admission,
    bodies: new BodyBudget(maxHeldBytes),
    writeQueue: new FairQueue(clock),
    clock,
    generateName,
  };
  // Webhooks are not called for what the server needs to start: they may themselves run on this server.
  const withoutWebhooks: Services = { ...services, admission: new Admission(builtinPlugins(reader, authorizer)) };
  await bootstrap(withoutWebhooks);
  closers.push(
    new Definitions(services, definitionResource, log).start(),
    deleteEndpointsOfServices(services, log),
    expireEvents(services, log),
    await new ApiServices(withoutWebhooks, log).start(),
  );
  if (options.housekeeping !== false)
    closers.push(
      new Namespaces(services, log).start(),
      new NamespaceDefaults(services, authority.caPem, log).start(),
      new GarbageCollector(services, log).start(),
      expireJobs(services, log),
      reportPolicyStatus(services, log),
      reportQuotaStatus(services, log),
    );

  let address = "";
  const unready = (): string | undefined => (store.failure ? String(store.failure) : undefined);
  const paths = new Paths({ registry, address: () => address, unready });
  const dispatcher = new Dispatcher(services, authenticator, paths, log);
  const listener = await listen({
    host,
    port: options.port ?? 0,
    certPem: authority.serverCertPem,
    keyPem: authority.serverKeyPem,
    caPem: authority.caPem,
    handle: (request, response) => dispatcher.handle(request, response),
  });
  closers.push(() => listener.close());
  address = `${host}:${listener.port}`;
  const url = `https://${address}`;
  await writeKubernetesService(withoutWebhooks, { host, port: listener.port });
  const kubeconfig = join(dir, "kubeconfig");
  // A token and no certificate: a certificate would take precedence over `kubectl --token`.
  await writeKubeconfig(kubeconfig, { server: url, caPem: authority.caPem, token: authority.adminToken });
  return { url, port: listener.port, kubeconfig, authority };
}

interface ResourceDependencies {
  readonly reader: StoreReader;
  readonly authorizer: ClusterAuthorizer;
  readonly authenticator: Authenticator;
  readonly serviceAccountTokens: ServiceAccountTokens;
  readonly clock: Clock;
  readonly kubelets: KubeletClient;
  /** A function, because services are built after the resources; actions on pods need them. */
  readonly services: () => Services;
}

function resources({
  reader,
  authorizer,
  authenticator,
  serviceAccountTokens,
  clock,
  kubelets,
  services,
}: ResourceDependencies): Resource[] {
  const schemas = definition;
  const token = tokenRequestAction({ objects: reader, tokens: serviceAccountTokens, clock, schemas });
  const actions: Readonly<Record<string, Resource["subresources"]>> = {
    nodes: { proxy: nodeProxy(reader, kubelets) },
    pods: { binding: podBinding(services), eviction: podEviction(services), log: podLog(reader, kubelets) },
    serviceaccounts: { token },
  };
  const stored = builtinResources().map((resource) =>
    resource.group === "" && Object.hasOwn(actions, resource.plural)
      ? { ...resource, subresources: { ...resource.subresources, ...actions[resource.plural] } }
      : resource,
  );
  return [...stored, ...reviewResources({ authorizer, authenticator, clock, schemas }), definitionResource];
}

async function loadBackend({ dir, storage, fsync = false }: ServerOptions): Promise<() => Backend> {
  if (storage === "memory") return () => new MemoryBackend();
  const { LmdbBackend } = await import("./storage/lmdb-backend.ts").catch(explainMissingPackage);
  return () => new LmdbBackend(join(dir, "objects"), { fsync });
}

/** The package is native code and therefore not part of the bundle, which is all that an image has. */
function explainMissingPackage(cause: NodeJS.ErrnoException): never {
  if (cause.code !== "ERR_MODULE_NOT_FOUND") throw cause;
  const missing =
    "the package lmdb is not installed, and images do not have it: run attune from an installation by npm";
  throw new Error(`open the storage of the API server: ${missing}`, { cause });
}
