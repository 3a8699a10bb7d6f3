import { beforeAll, describe, expect, it } from "vitest";
import { NAMESPACE, onEachServer } from "./on-each-server.ts";

interface Shown {
  metadata: { uid: string; labels?: Record<string, string>; finalizers?: string[] };
  spec: Record<string, unknown> & {
    volumes?: { name: string }[];
    containers: { volumeMounts?: { name: string; mountPath: string }[] }[];
    taints?: unknown[];
  };
}

const container = { name: "c", image: "i" };
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

onEachServer("admission of a pod", (cluster) => {
  const create = async (object: object): Promise<Shown> =>
    (await cluster.kubectl.json("create -f -", { stdin: JSON.stringify(object) })) as Shown;
  const refuses = (object: object, why: string): Promise<void> =>
    cluster.kubectl.refuses("create -f -", `Error from server (Forbidden): error when creating "STDIN": ${why}`, {
      stdin: JSON.stringify(object),
    });
  const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...metadata },
    spec: { containers: [container], ...spec },
  });
  const account = (name: string, more: object): Promise<Shown> =>
    create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name }, ...more });

  describe("its security", () => {
    const labelled = async (name: string, labels: Record<string, string>): Promise<void> => {
      const named = Object.entries(labels).map(([mode, level]) => [`pod-security.kubernetes.io/${mode}`, level]);
      await create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels: Object.fromEntries(named) } });
      await create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "own", namespace: name } });
    };
    const inside = (namespace: string, spec: object): object =>
      pod("secured", { serviceAccountName: "own", automountServiceAccountToken: false, ...spec }, { namespace });
    beforeAll(async () => {
      await labelled("secured-baseline", { enforce: "baseline" });
      await labelled("secured-restricted", { enforce: "restricted", "enforce-version": "v1.30" });
    });

    it.each<[string, object, string]>([
      ["secured-baseline", { hostNetwork: true, hostPID: true }, "host namespaces (hostNetwork=true, hostPID=true)"],
      [
        "secured-baseline",
        {
          initContainers: [{ name: "a", image: "i", securityContext: { privileged: true } }],
          containers: [
            {
              ...container,
              ports: [{ containerPort: 1, hostPort: 1 }],
              securityContext: { privileged: true, capabilities: { add: ["SYS_TIME", "NET_ADMIN"] } },
            },
          ],
          volumes: [{ name: "v", hostPath: { path: "/" } }],
          securityContext: {
            sysctls: [{ name: "kernel.msgmax", value: "1" }],
            seccompProfile: { type: "Unconfined" },
          },
        },
        'non-default capabilities (container "c" must not include "NET_ADMIN", "SYS_TIME" in securityContext.capabilities.add), hostPath volumes (volume "v"), hostPort (container "c" uses hostPort 1), privileged (containers "a", "c" must not set securityContext.privileged=true), seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined"), forbidden sysctls (kernel.msgmax)',
      ],
      [
        "secured-baseline",
        { containers: [{ ...container, securityContext: { seLinuxOptions: { type: "spc_t", user: "u" } } }] },
        'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set)',
      ],
      [
        "secured-restricted",
        { securityContext: { runAsUser: 0 }, hostIPC: true, volumes: [{ name: "v", nfs: { server: "s", path: "/" } }] },
        'host namespaces (hostIPC=true), allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), restricted volume types (volume "v" uses restricted volume type "nfs"), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), runAsUser=0 (pod must not set runAsUser=0), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
      ],
    ])("is checked in namespace %s: %#", async (namespace, spec, why) => {
      const level = namespace === "secured-baseline" ? "baseline:latest" : "restricted:v1.30";
      await refuses(inside(namespace, spec), `pods "secured" is forbidden: violates PodSecurity "${level}": ${why}`);
    });
  });

  describe("its account", () => {
    beforeAll(async () => {
      await account("quiet", {
        automountServiceAccountToken: false,
        imagePullSecrets: [{ name: "pull" }],
      });
      await account("strict", {
        metadata: { name: "strict", annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } },
        secrets: [{ name: "known" }],
      });
    });

    it("is the default one, with a token mounted in every container without a mount at that path", async () => {
      const { spec } = await create(
        pod("plain", {
          initContainers: [{ name: "first", image: "i" }],
          containers: [container, { name: "own", image: "i", volumeMounts: [{ name: "v", mountPath }] }],
          volumes: [{ name: "v", emptyDir: {} }],
        }),
      );
      const name = spec.volumes?.[1]?.name ?? "";
      expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
      const mount = { name, readOnly: true, mountPath };
      expect(spec).toMatchObject({
        serviceAccountName: "default",
        serviceAccount: "default",
        initContainers: [{ volumeMounts: [mount] }],
        containers: [{ volumeMounts: [mount] }, { volumeMounts: [{ name: "v", mountPath }] }],
      });
      expect(spec).not.toHaveProperty("imagePullSecrets");
      expect(spec.volumes).toEqual([
        { name: "v", emptyDir: {} },
        {
          name,
          projected: {
            defaultMode: 420,
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
              { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
              {
                downwardAPI: {
                  items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
                },
              },
            ],
          },
        },
      ]);
    });

    it("may set pull secrets and disable the token, unless the pod overrides it", async () => {
      const quiet = { serviceAccountName: "quiet" };
      const { spec } = await create(pod("quiet", quiet));
      expect(spec).toMatchObject({ imagePullSecrets: [{ name: "pull" }] });
      expect(spec).not.toHaveProperty("volumes");
      const loud = await create(
        pod("loud", { ...quiet, automountServiceAccountToken: true, imagePullSecrets: [{ name: "own" }] }),
      );
      expect(loud.spec).toMatchObject({ imagePullSecrets: [{ name: "own" }], volumes: [{}] });
    });

    it("reuses an existing token volume", async () => {
      const { spec } = await create(pod("there", { volumes: [{ name: "kube-api-access-mine", emptyDir: {} }] }));
      expect(spec.volumes).toEqual([{ name: "kube-api-access-mine", emptyDir: {} }]);
      expect(spec.containers[0]?.volumeMounts).toMatchObject([{ name: "kube-api-access-mine" }]);
    });

    it.each([
      ["p", { name: "p" }],
      ["p-", { name: "", generateName: "p-" }],
      ["Unknown", { name: "" }],
    ])("must be there (%s)", async (shown, metadata) => {
      await refuses(
        pod("", { serviceAccountName: "nobody" }, metadata),
        `pods "${shown}" is forbidden: error looking up service account ${NAMESPACE}/nobody: serviceaccount "nobody" not found`,
      );
    });

    const secretKeyRef = { name: "other", key: "k" };
    it.each([
      [
        { volumes: [{ name: "v", secret: { secretName: "other" } }] },
        'volume with secret.secretName="other" is not allowed because service account strict does not reference that secret',
      ],
      [
        { containers: [{ ...container, env: [{ name: "E", valueFrom: { secretKeyRef } }] }] },
        'container c with envVar E referencing secret.secretName="other" is not allowed because service account strict does not reference that secret',
      ],
      [
        { imagePullSecrets: [{ name: "other" }] },
        'imagePullSecrets[0].name="other" is not allowed because service account strict does not reference that imagePullSecret',
      ],
    ])("may insist on the secrets it lists: %j", async (spec, why) => {
      await refuses(pod("strict", { serviceAccountName: "strict", ...spec }), `pods "strict" is forbidden: ${why}`);
    });

    const mirror = { annotations: { "kubernetes.io/config.mirror": "x" } };
    it("is none for a mirror pod, which may refer to nothing", async () => {
      const { spec } = await create(pod("mirror", { nodeName: "somewhere" }, mirror));
      expect(spec).not.toHaveProperty("serviceAccountName");
      expect(spec).not.toHaveProperty("volumes");
      await refuses(
        pod("m", { serviceAccountName: "default" }, mirror),
        'pods "m" is forbidden: a mirror pod may not reference service accounts',
      );
      await refuses(
        pod("m", { volumes: [{ name: "v", secret: { secretName: "s" } }] }, mirror),
        'pods "m" is forbidden: a mirror pod may not reference secrets',
      );
    });
  });

  describe("its runtime", () => {
    beforeAll(async () => {
      const kind = { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", handler: "h" };
      await create({ ...kind, metadata: { name: "bare" } });
      await create({
        ...kind,
        metadata: { name: "boxed" },
        overhead: { podFixed: { memory: "1Gi", cpu: "250m" } },
        scheduling: {
          nodeSelector: { box: "yes" },
          tolerations: [
            { key: "box", operator: "Exists", effect: "NoSchedule" },
            { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
          ],
        },
      });
    });

    it("adds its overhead and scheduling", async () => {
      const { spec } = await create(
        pod("boxed", {
          runtimeClassName: "boxed",
          nodeSelector: { disk: "ssd" },
          tolerations: [{ key: "box", operator: "Exists" }],
        }),
      );
      expect(spec).toMatchObject({
        overhead: { memory: "1Gi", cpu: "250m" },
        nodeSelector: { box: "yes", disk: "ssd" },
        tolerations: [
          { key: "box", operator: "Exists" },
          { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
          { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
        ],
      });
      const same = await create(
        pod("same", { runtimeClassName: "boxed", overhead: { memory: "1024Mi", cpu: "0.25" } }),
      );
      expect(same.spec.overhead).toEqual({ memory: "1Gi", cpu: "250m" });
    });

    it.each([
      [{ runtimeClassName: "none" }, 'pod rejected: RuntimeClass "none" not found'],
      [
        { runtimeClassName: "boxed", overhead: { cpu: "1" } },
        "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
      ],
      [
        { overhead: { cpu: "1" } },
        "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
      ],
      [
        { runtimeClassName: "bare", overhead: { cpu: "1" } },
        "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
      ],
      [
        { runtimeClassName: "boxed", nodeSelector: { box: "no" } },
        "conflict: runtimeClass.scheduling.nodeSelector[box] = yes; pod.spec.nodeSelector[box] = no",
      ],
    ])("must agree with it: %j", async (spec, why) => {
      await refuses(pod("odd", spec), `pods "odd" is forbidden: ${why}`);
    });
  });

  it("copies the zone of its node, on creation and on binding", async () => {
    const labels = { "topology.kubernetes.io/zone": "z1", "topology.kubernetes.io/region": "r1" };
    const node = await create({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "zoned", labels: { ...labels, other: "x" } },
    });
    expect(node.spec.taints).toEqual([{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }]);
    expect((await create(pod("placed", { nodeName: "zoned" }))).metadata.labels).toEqual(labels);
    await create(pod("bound"));
    const binding = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "bound" },
      target: { kind: "Node", name: "zoned" },
    };
    await cluster.kubectl.out(`create --raw /api/v1/namespaces/${NAMESPACE}/pods/bound/binding -f -`, {
      stdin: JSON.stringify(binding),
    });
    expect(((await cluster.kubectl.json("get pod bound")) as Shown).metadata.labels).toEqual(labels);
  });

  it("gives a claim the newest default class, unless it names a class, also an empty one", async () => {
    const claim = (name: string, spec: object = {}): object => ({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
    });
    const kind = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", provisioner: "p" };
    const first = await create(claim("early"));
    expect(first.spec).not.toHaveProperty("storageClassName");
    expect(first.metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
    await create({
      ...kind,
      metadata: { name: "usual", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    });
    await create({ ...kind, metadata: { name: "other" } });
    expect((await create(claim("usual"))).spec).toMatchObject({ storageClassName: "usual" });
    expect((await create(claim("none", { storageClassName: "" }))).spec).toMatchObject({ storageClassName: "" });
    expect((await create(claim("other", { storageClassName: "other" }))).spec).toMatchObject({
      storageClassName: "other",
    });
  });
});
