import { beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { SmallServer } from "../../testing/small-server.ts";

let server: SmallServer;
beforeEach(async () => {
  server = new SmallServer();
});

const label = (mode: string): string => `pod-security.kubernetes.io/${mode}`;

async function namespace(labels: Record<string, string>): Promise<void> {
  await server.create("namespaces", { metadata: { name: "ns", labels } });
  await server.create("serviceaccounts", { metadata: { name: "default", namespace: "ns" } });
}

/** A pod that every level allows. */
const careful = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  containers: [
    {
      name: "c",
      image: "i",
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    },
  ],
};
const container = (securityContext: object, more: object = {}): object => ({
  containers: [{ name: "c", image: "i", securityContext, ...more }],
});
const create = (spec: object): Promise<KubeObject> =>
  server.create("pods", {
    metadata: { name: "p", namespace: "ns" },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  });

describe("a namespace that enforces baseline", () => {
  beforeEach(() => namespace({ [label("enforce")]: "baseline" }));

  it.each([
    ["an ordinary pod", {}],
    ["a careful pod", careful],
    ["capabilities that containers have anyway", container({ capabilities: { add: ["CHOWN"] } })],
    ["a sysctl of the pod's own", { securityContext: { sysctls: [{ name: "net.ipv4.tcp_syncookies", value: "1" }] } }],
  ])("allows %s", async (_, spec) => {
    await expect(create(spec)).resolves.toMatchObject({ kind: "Pod" });
  });

  it.each<[object, string]>([
    [{ hostNetwork: true, hostPID: true }, "host namespaces (hostNetwork=true, hostPID=true)"],
    [container({ privileged: true }), 'privileged (container "c" must not set securityContext.privileged=true)'],
    [
      container({ capabilities: { add: ["SYS_ADMIN", "NET_ADMIN"] } }),
      'non-default capabilities (container "c" must not include "NET_ADMIN", "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
    [{ volumes: [{ name: "v", hostPath: { path: "/" } }] }, 'hostPath volumes (volume "v")'],
    [container({}, { ports: [{ containerPort: 80, hostPort: 80 }] }), 'hostPort (container "c" uses hostPort 80)'],
    [
      container({ procMount: "Unmasked" }),
      'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    ],
    [
      { securityContext: { seccompProfile: { type: "Unconfined" } } },
      'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      container({ appArmorProfile: { type: "Unconfined" } }),
      'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined")',
    ],
    [
      container(
        {},
        {
          livenessProbe: { httpGet: { port: 1, host: "h" } },
          lifecycle: { preStop: { httpGet: { port: 1, host: "a" } } },
        },
      ),
      'probe or lifecycle host (container "c" uses probe or lifecycle hosts "a", "h")',
    ],
    [
      container({ seLinuxOptions: { type: "spc_t", user: "u" } }),
      'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set)',
    ],
    [{ securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } }, "forbidden sysctls (kernel.msgmax)"],
    [
      {
        initContainers: [{ name: "a", image: "i", securityContext: { privileged: true } }],
        ...container({ privileged: true }),
      },
      'privileged (containers "a", "c" must not set securityContext.privileged=true)',
    ],
  ])("refuses %j", async (spec, violation) => {
    await expect(create(spec)).rejects.toMatchObject({
      code: 403,
      message: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${violation}`,
    });
  });

  it("refuses AppArmor profiles that annotations name, except the runtime's and the node's", async () => {
    const annotated = (name: string, profile: string): Promise<KubeObject> => {
      const annotations = { [`container.apparmor.security.beta.kubernetes.io/c`]: profile };
      const spec = { containers: [{ name: "c", image: "i" }] };
      return server.create("pods", { metadata: { name, namespace: "ns", annotations }, spec });
    };
    await annotated("a", "runtime/default");
    await annotated("b", "localhost/profile");
    const key = "container.apparmor.security.beta.kubernetes.io/c";
    await expect(annotated("d", "unconfined")).rejects.toMatchObject({
      code: 403,
      message: `pods "d" is forbidden: violates PodSecurity "baseline:latest": forbidden AppArmor profile (annotation must not set AppArmor profile type to "${key}="unconfined"")`,
    });
  });
});

describe("a namespace that enforces restricted", () => {
  beforeEach(() => namespace({ [label("enforce")]: "restricted", [label("enforce-version")]: "v1.30" }));

  it("allows a careful pod, also after it was labelled", async () => {
    await create(careful);
    await expect(
      server.patch("pods", { namespace: "ns", name: "p" }, { metadata: { labels: { a: "b" } } }),
    ).resolves.toBeDefined();
  });

  it("refuses an ordinary pod, with everything that is missing", async () => {
    await expect(create({})).rejects.toMatchObject({
      code: 403,
      message:
        'pods "p" is forbidden: violates PodSecurity "restricted:v1.30": ' +
        'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    });
  });

  it.each<[object, string]>([
    [
      { volumes: [{ name: "v", nfs: { server: "s", path: "/" } }] },
      'restricted volume types (volume "v" uses restricted volume type "nfs")',
    ],
    [{ securityContext: { ...careful.securityContext, runAsUser: 0 } }, "runAsUser=0 (pod must not set runAsUser=0)"],
    [{ hostIPC: true }, "host namespaces (hostIPC=true)"],
  ])("refuses %j too", async (spec, violation) => {
    await expect(create({ ...careful, ...spec })).rejects.toMatchObject({
      message: expect.stringContaining(`"restricted:v1.30": ${violation}`) as string,
    });
  });

  it("does not refuse a Deployment, whose pods it refuses, but warns", async () => {
    await expect(deployment()).resolves.toBeDefined();
    expect(server.warnings).toEqual([
      expect.stringMatching(/^would violate PodSecurity "restricted:v1.30": host namespaces/),
    ]);
  });

  it("leaves the users of a user namespace to the pod", async () => {
    await expect(
      create({
        ...careful,
        securityContext: { seccompProfile: { type: "RuntimeDefault" }, runAsUser: 0 },
        hostUsers: false,
      }),
    ).resolves.toBeDefined();
  });
});

const deployment = (): Promise<KubeObject> =>
  server.create("deployments", {
    metadata: { name: "d", namespace: "ns" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { ...container({ privileged: true }), hostNetwork: true } },
    },
  });

describe("a namespace that warns", () => {
  beforeEach(() => namespace({ [label("warn")]: "baseline" }));
  const warning =
    'would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true), privileged (container "c" must not set securityContext.privileged=true)';

  it("allows pods and templates, with a warning", async () => {
    await create({ ...container({ privileged: true }), hostNetwork: true });
    expect(server.warnings).toEqual([warning]);
    await deployment();
    expect(server.warnings).toEqual([warning]);
  });
});

describe("the labels of a namespace", () => {
  it("must name levels and versions that exist, where they are set", async () => {
    await expect(namespace({ [label("enforce")]: "strict", [label("warn-version")]: "1.30" })).rejects.toMatchObject({
      code: 422,
      message: expect.stringMatching(
        /enforce\]: Invalid value: "strict": must be one of privileged, baseline, restricted.*warn-version\]: Invalid value: "1.30"/,
      ) as string,
    });
    await namespace({ [label("enforce")]: "privileged", [label("audit")]: "restricted" });
    await expect(create({ hostNetwork: true })).resolves.toBeDefined();
  });
});

describe("a pod that violates a level which its namespace got later", () => {
  beforeEach(async () => {
    await namespace({});
    await create({ hostNetwork: true });
  });
  const enforce = (level: string): Promise<KubeObject> =>
    server.patch("namespaces", { name: "ns" }, { metadata: { labels: { [label("enforce")]: level } } });
  const change = (patch: object): Promise<KubeObject> => server.patch("pods", { namespace: "ns", name: "p" }, patch);

  it("may be labelled, and get no other image", async () => {
    await enforce("baseline");
    await change({ metadata: { labels: { a: "b" } } });
    const { containers } = server.get("pods", { namespace: "ns", name: "p" }).spec as { containers: object[] };
    await expect(change({ spec: { containers: [{ ...containers[0], image: "j" }] } })).rejects.toMatchObject({
      code: 403,
      message: 'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    });
  });

  it("is named by a warning when the namespace gets it, and with each stricter one", async () => {
    for (const name of ["q", "r"])
      await server.create("pods", {
        metadata: { name, namespace: "ns" },
        spec: { containers: [{ name: "c", image: "i" }], hostNetwork: true },
      });
    await enforce("baseline");
    expect(server.warnings).toEqual([
      'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
      "p (and 2 other pods): host namespaces",
    ]);
    await enforce("restricted");
    expect(server.warnings).toHaveLength(2);
    await enforce("baseline");
    expect(server.warnings).toEqual([]);
  });
});
