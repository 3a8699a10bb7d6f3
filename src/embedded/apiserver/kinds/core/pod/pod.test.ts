import { describe, expect, it } from "vitest";
import { create, update } from "../../testing/run-strategy.ts";
import { pod } from "./pod.ts";

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const one = (container: object = {}, spec: object = {}) => ({
  spec: { containers: [{ name: "c", image: "i:latest", ...container }], ...spec },
});
const faultsOf = (container: object, spec: object = {}) => create(pod, one(container, spec)).faults;

describe("a new pod", () => {
  it("gets its defaults, tolerations, priority and QoS class", () => {
    const { object, faults } = create(pod, one({ resources: { requests: { cpu: "0.1" } } }));
    const toleration = { operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 };
    expect(faults).toEqual([]);
    expect(object.spec).toEqual({
      containers: [
        {
          name: "c",
          image: "i:latest",
          resources: { requests: { cpu: "100m" } },
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
          imagePullPolicy: "Always",
        },
      ],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler",
      tolerations: [
        { key: "node.kubernetes.io/not-ready", ...toleration },
        { key: "node.kubernetes.io/unreachable", ...toleration },
      ],
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: "PreemptLowerPriority",
    });
    expect(object.status).toEqual({ phase: "Pending", qosClass: "Burstable" });
  });

  it.each<[string, object, object]>([
    [
      "probes",
      { livenessProbe: { httpGet: { port: 80 } } },
      {
        livenessProbe: {
          httpGet: { path: "/", port: 80, scheme: "HTTP" },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    ],
    ["probes over gRPC", { startupProbe: { grpc: { port: 5 } } }, { startupProbe: { grpc: { port: 5, service: "" } } }],
    [
      "hooks",
      { lifecycle: { preStop: { httpGet: { port: 1 } } } },
      { lifecycle: { preStop: { httpGet: { path: "/", scheme: "HTTP" } } } },
    ],
    ["ports", { ports: [{ containerPort: 80 }] }, { ports: [{ containerPort: 80, protocol: "TCP" }] }],
    [
      "field references",
      { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] },
      { env: [{ valueFrom: { fieldRef: { apiVersion: "v1" } } }] },
    ],
    [
      "resource references",
      { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } }] },
      { env: [{ valueFrom: { resourceFieldRef: { divisor: "0" } } }] },
    ],
    [
      "requests, from limits",
      { resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m" } } },
      { resources: { requests: { cpu: "500m", memory: "1Gi" } } },
    ],
    ["amounts below a thousandth", { resources: { limits: { cpu: "1u" } } }, { resources: { limits: { cpu: "1m" } } }],
  ])("completes %s", (_, given, expected) => {
    expect(create(pod, one(given)).object.spec).toMatchObject({ containers: [expected] });
  });

  it.each([
    ["i", "Always"],
    ["i:latest", "Always"],
    ["localhost:5000/i", "Always"],
    ["localhost:5000/i:1", "IfNotPresent"],
    ["i@sha256:00", "IfNotPresent"],
  ])("pulls %s %s", (image, policy) => {
    expect(create(pod, one({ image })).object.spec).toMatchObject({ containers: [{ imagePullPolicy: policy }] });
  });

  it.each<[object, object]>([
    [{ serviceAccount: "s" }, { serviceAccountName: "s", serviceAccount: "s" }],
    [{ volumes: [{ name: "v" }] }, { volumes: [{ name: "v", emptyDir: {} }] }],
    [{ volumes: [{ name: "v", hostPath: { path: "/x" } }] }, { volumes: [{ hostPath: { path: "/x", type: "" } }] }],
    [{ volumes: [{ name: "v", secret: { secretName: "s" } }] }, { volumes: [{ secret: { defaultMode: 420 } }] }],
    [
      { volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] },
      {
        volumes: [{ projected: { defaultMode: 420, sources: [{ serviceAccountToken: { expirationSeconds: 3600 } }] } }],
      },
    ],
    [
      { hostNetwork: true, initContainers: [{ name: "i", image: "x", ports: [{ containerPort: 5 }] }] },
      { initContainers: [{ ports: [{ containerPort: 5, hostPort: 5 }] }] },
    ],
    [{ tolerations: [{ operator: "Exists" }] }, { tolerations: [{ operator: "Exists" }] }],
    [{ terminationGracePeriodSeconds: -5 }, { terminationGracePeriodSeconds: 1 }],
    [{ priorityClassName: "system-node-critical" }, { priority: 2_000_001_000 }],
  ])("with %j becomes %j", (given, expected) => {
    const { object, faults } = create(pod, one({}, given));
    expect(faults).toEqual([]);
    expect(object.spec).toMatchObject(expected);
  });

  it("must not set a priority of its own or an unknown class", () => {
    expect(() => create(pod, one({}, { priority: 5 }))).toThrow(
      "the integer value of priority (5) must not be provided in pod spec",
    );
    expect(() => create(pod, one({}, { priorityClassName: "nope" }))).toThrow(
      'pods "x" is forbidden: no PriorityClass with name nope was found',
    );
  });
});

describe("faults of a pod", () => {
  it("requires unique container names and images", () => {
    expect(create(pod, { spec: {} }).faults).toEqual(["spec.containers: Required value"]);
    expect(faultsOf({ name: "C_", image: "" })).toEqual([
      `spec.containers[0].name: Invalid value: "C_": ${label}`,
      "spec.containers[0].image: Required value",
    ]);
    expect(faultsOf({ image: " y " })).toEqual([
      'spec.containers[0].image: Invalid value: " y ": must not have leading or trailing whitespace',
    ]);
    expect(faultsOf({}, { initContainers: [{ name: "c", image: "x" }] })).toEqual([
      'spec.initContainers[0].name: Duplicate value: "c"',
    ]);
  });

  it.each<[object, string[]]>([
    [
      { imagePullPolicy: "Odd" },
      ['imagePullPolicy: Unsupported value: "Odd": supported values: "Always", "IfNotPresent", "Never"'],
    ],
    [{ ports: [{ containerPort: 0 }] }, ["ports[0].containerPort: Required value"]],
    [
      { ports: [{ containerPort: 70000, name: "A_" }] },
      [
        'ports[0].name: Invalid value: "A_": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'ports[0].name: Invalid value: "A_": must contain at least one letter (a-z)',
        "ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
      ],
    ],
    [
      {
        ports: [
          { containerPort: 1, name: "h" },
          { containerPort: 2, name: "h" },
        ],
      },
      ['ports[1].name: Duplicate value: "h"'],
    ],
    [
      {
        ports: [
          { containerPort: 1, hostPort: 80 },
          { containerPort: 2, hostPort: 80 },
        ],
      },
      ['ports[1].hostPort: Duplicate value: "TCP//80"'],
    ],
    [
      { env: [{ name: "" }, { name: "a=b" }] },
      [
        "env[0].name: Required value",
        "env[1].name: Invalid value: \"a=b\": a valid environment variable name must consist only of printable ASCII characters other than '='",
      ],
    ],
    [
      { env: [{ name: "x", valueFrom: { fieldRef: { fieldPath: "metadata.odd" } } }] },
      [
        'env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.odd": error converting fieldPath: field label not supported: metadata.odd',
      ],
    ],
    [{ env: [{ name: "x", valueFrom: { fieldRef: { fieldPath: "metadata.labels['a']" } } }] }, []],
    [
      { env: [{ name: "x", value: "v", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] },
      ['env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty'],
    ],
    [{ envFrom: [{}] }, ['envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`']],
    [{ volumeMounts: [{ name: "nope", mountPath: "/a" }] }, ['volumeMounts[0].name: Not found: "nope"']],
    [
      { resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } },
      ['resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    ],
    [
      { resources: { requests: { "nvidia.com/gpu": "1" } } },
      ["resources.limits: Required value: Limit must be set for non overcommitable resources"],
    ],
    [
      { resources: { limits: { "nvidia.com/gpu": "1.5" } } },
      [
        'resources.limits[nvidia.com/gpu]: Invalid value: "1500m": must be an integer',
        'resources.requests[nvidia.com/gpu]: Invalid value: "1500m": must be an integer',
      ],
    ],
    [
      { resources: { requests: { memory: "-1" } } },
      ['resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0'],
    ],
    [
      { securityContext: { runAsUser: -1 } },
      ["securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive"],
    ],
    [{ livenessProbe: {} }, ["livenessProbe: Required value: must specify a handler type"]],
    [
      { readinessProbe: { exec: { command: ["x"] }, tcpSocket: { port: 1 } } },
      ["readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"],
    ],
    [
      { startupProbe: { exec: {}, successThreshold: 2 } },
      ["startupProbe.exec.command: Required value", "startupProbe.successThreshold: Invalid value: 2: must be 1"],
    ],
  ])("a container with %j", (container, faults) => {
    expect(faultsOf(container)).toEqual(faults.map((fault) => `spec.containers[0].${fault}`));
  });

  it.each<[object, string[]]>([
    [{ volumes: [{ name: "v" }, { name: "v" }] }, ['volumes[1].name: Duplicate value: "v"']],
    [
      { volumes: [{ name: "v", configMap: { name: "m" }, emptyDir: {} }] },
      ["volumes[0].configMap: Forbidden: may not specify more than 1 volume type"],
    ],
    [
      { volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "/" } }] },
      ["volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"],
    ],
    [
      { volumes: [{ name: "v", hostPath: { path: "../x" } }] },
      ["volumes[0].hostPath.path: Invalid value: \"../x\": must not contain '..'"],
    ],
    [
      { volumes: [{ name: "v", configMap: { name: "c", defaultMode: 5000, items: [{ key: "", path: "/a" }] } }] },
      [
        "volumes[0].configMap.defaultMode: Invalid value: 5000: must be a number between 0 and 0777 (octal), both inclusive",
        "volumes[0].configMap.items[0].key: Required value",
        'volumes[0].configMap.items[0].path: Invalid value: "/a": must be a relative path',
      ],
    ],
    [
      { restartPolicy: "Odd" },
      ['restartPolicy: Unsupported value: "Odd": supported values: "Always", "OnFailure", "Never"'],
    ],
    [
      { hostPID: true, shareProcessNamespace: true },
      [
        "securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
      ],
    ],
    [{ dnsPolicy: "None" }, ["dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"]],
    [
      { activeDeadlineSeconds: 0 },
      ["activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"],
    ],
    [{ hostname: "A.b" }, [`hostname: Invalid value: "A.b": ${label}`]],
    [
      { tolerations: [{ operator: "Exists", value: "v" }] },
      ["tolerations[0].operator: Invalid value: \"v\": value must be empty when `operator` is 'Exists'"],
    ],
    [
      { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
      [
        "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term",
      ],
    ],
    [
      { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" }] },
      ["topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"],
    ],
    [
      { initContainers: [{ name: "i", image: "x", readinessProbe: { exec: { command: ["x"] } } }] },
      ["initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always"],
    ],
    [
      {
        initContainers: [
          { name: "i", image: "x", restartPolicy: "Always", readinessProbe: { exec: { command: ["x"] } } },
        ],
      },
      [],
    ],
  ])("a spec with %j", (spec, faults) => {
    expect(faultsOf({}, spec)).toEqual(faults.map((fault) => `spec.${fault}`));
  });
});

describe("a pod that runs", () => {
  const { object } = create(
    pod,
    one(
      {},
      { activeDeadlineSeconds: 50, terminationGracePeriodSeconds: -5, initContainers: [{ name: "i", image: "x" }] },
    ),
  );
  const spec = object.spec as { containers: object[]; tolerations: object[] };

  it.each<[string, object]>([
    ["another image", { containers: [{ ...spec.containers[0], image: "y" }] }],
    ["a shorter deadline", { activeDeadlineSeconds: 5 }],
    ["more tolerations", { tolerations: [...spec.tolerations, { key: "a", operator: "Exists" }] }],
    ["no priority, which keeps the old one", { priority: null, preemptionPolicy: null }],
    ["no tolerations, which brings the default ones back", { tolerations: [] }],
    ["one second of grace instead of a negative number", { terminationGracePeriodSeconds: 1 }],
  ])("may get %s", (_, change) => {
    expect(update(pod, object, { spec: change }).faults).toEqual([]);
  });

  it.each<[object, string]>([
    [
      { activeDeadlineSeconds: null },
      "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value",
    ],
    [
      { activeDeadlineSeconds: 60 },
      "spec.activeDeadlineSeconds: Invalid value: 60: must be less than or equal to previous value",
    ],
    [{ initContainers: null }, "spec.initContainers: Forbidden: pod updates may not add or remove containers"],
    [
      { tolerations: [{ operator: "Exists" }] },
      "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds",
    ],
  ])("refuses %j", (change, fault) => {
    expect(update(pod, object, { spec: change }).faults).toEqual([fault]);
  });

  it("rejects every other change, and prints it with Go's field names", () => {
    const plain = create(pod, one({ resources: { requests: { cpu: "100m" } } })).object;
    const containers = [
      { ...(plain.spec as { containers: object[] }).containers[0], resources: { requests: { cpu: "200m" } } },
    ];
    expect(update(pod, plain, { spec: { containers } }).faults).toEqual([
      [
        "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
        "@@ -14,7 +14,7 @@",
        '    "Resources": {',
        '     "Limits": null,',
        '     "Requests": {',
        '-     "cpu": "100m"',
        '+     "cpu": "200m"',
        "     },",
        '     "Claims": null',
        "    },",
        "",
      ].join("\n"),
    ]);
    const { faults } = update(pod, plain, { spec: { nodeName: "zz" } });
    expect(faults[0]).toContain(
      '\n- "NodeName": "",\n+ "NodeName": "zz",\n  "SecurityContext": {\n   "HostNetwork": false,\n',
    );
  });

  it("changes its status only through the subresource, and keeps its QoS class", () => {
    const running = { status: { phase: "Running", podIP: "10.0.0.1", qosClass: null } };
    expect(update(pod, object, running).object.status).toEqual(object.status);
    const { object: reported, faults } = update(pod, object, { ...running, spec: { nodeName: "n" } }, "status");
    expect(faults).toEqual([]);
    expect(reported.status).toEqual({
      phase: "Running",
      podIP: "10.0.0.1",
      podIPs: [{ ip: "10.0.0.1" }],
      qosClass: "BestEffort",
    });
    expect(reported.spec).toEqual(object.spec);
    expect(update(pod, object, { status: { qosClass: "Guaranteed" } }, "status").faults).toEqual([
      'status.qosClass: Invalid value: "Guaranteed": field is immutable',
    ]);
  });

  it("keeps its ownerReferences when its status is updated", () => {
    const owner = { apiVersion: "v1", kind: "X", name: "x", uid: "u" };
    const change = { metadata: { ownerReferences: [owner] } };
    expect(update(pod, object, change, "status").object.metadata).toEqual(object.metadata);
    const owned = update(pod, object, change).object;
    expect(
      update(pod, owned, { metadata: { ownerReferences: null } }, "status").object.metadata.ownerReferences,
    ).toEqual([owner]);
  });

  it("can be selected by node, phase and hostNetwork", () => {
    const found = update(pod, object, { status: { phase: "Running" } }, "status").object;
    const fields = ["spec.nodeName", "status.phase", "spec.hostNetwork", "spec.schedulerName"];
    expect(fields.map((field) => pod.selectableFields[field]?.(found))).toEqual([
      "",
      "Running",
      "false",
      "default-scheduler",
    ]);
  });
});
