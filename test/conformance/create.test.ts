import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { onEachServer } from "./on-each-server.ts";

const configMap = (name: string, more = ""): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;

onEachServer("creating", (cluster) => {
  it("creates from a file, once", async () => {
    await writeFile(join(cluster.home, "one.yaml"), configMap("from-file", "data: {k: v}\n"));
    await cluster.kubectl.prints("create -f one.yaml", "configmap/from-file created");
    await cluster.kubectl.refuses(
      "create -f one.yaml",
      'Error from server (AlreadyExists): error when creating "one.yaml": configmaps "from-file" already exists',
    );
    await cluster.kubectl.prints("get -f one.yaml -o jsonpath={.data.k}", "v");
  });

  it("creates several documents from standard input, and continues after a bad one", async () => {
    const stdin = [configMap("in-1"), configMap("In_2"), configMap("in-3")].join("---\n");
    await cluster.kubectl.refuses(
      "create -f -",
      /The ConfigMap "In_2" is invalid: metadata\.name: Invalid value: "In_2": a lowercase RFC 1123 subdomain/,
      {
        stdin,
      },
    );
    await cluster.kubectl.prints("get configmap in-1 in-3 -o name", "configmap/in-1\nconfigmap/in-3");
  });

  it("creates a list's items", async () => {
    const stdin = JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: ["a", "b"].map((key) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: `listed-${key}` } })),
    });
    await cluster.kubectl.prints("create -f -", "configmap/listed-a created\nconfigmap/listed-b created", { stdin });
  });

  it("does a dry run on the client or the server, and stores nothing", async () => {
    await cluster.kubectl.prints("create configmap dry --dry-run=client", "configmap/dry created (dry run)");
    const dry = (await cluster.kubectl.json("create configmap dry --from-literal=a=b --dry-run=server")) as {
      metadata: { uid: string; creationTimestamp: string; resourceVersion?: string };
    };
    expect(dry).toMatchObject({ data: { a: "b" }, metadata: { name: "dry", namespace: "work" } });
    expect(dry.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(dry.metadata.resourceVersion).toBeUndefined();
    await cluster.kubectl.refuses("get configmap dry", 'Error from server (NotFound): configmaps "dry" not found');
  });

  it("refuses in a dry run what it would refuse otherwise", async () => {
    await cluster.kubectl.prints("create configmap taken", "configmap/taken created");
    await cluster.kubectl.refuses(
      "create configmap taken --dry-run=server",
      'error: failed to create configmap: configmaps "taken" already exists',
    );
  });

  it("generates names", async () => {
    const stdin = "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: made-}\n";
    const [first, second] = [
      await cluster.kubectl.out("create -f - -o name", { stdin }),
      await cluster.kubectl.out("create -f - -o name", { stdin }),
    ];
    expect(first).toMatch(/^configmap\/made-[a-z0-9]{5}$/);
    expect(second).toMatch(/^configmap\/made-[a-z0-9]{5}$/);
    expect(first).not.toBe(second);
  });

  it("makes ConfigMaps of literals, files and env files", async () => {
    await writeFile(join(cluster.home, "app.conf"), "port = 80\n");
    await writeFile(join(cluster.home, "bytes.bin"), Buffer.from([0xff, 0, 1]));
    await writeFile(join(cluster.home, "vars.env"), "A=1\nB=two words\n");
    await cluster.kubectl.prints(
      "create configmap many --from-literal=a=1 --from-file=app.conf --from-file=raw=bytes.bin",
      "configmap/many created",
    );
    expect(await cluster.kubectl.json("get configmap many")).toMatchObject({
      data: { a: "1", "app.conf": "port = 80\n" },
      binaryData: { raw: "/wAB" },
    });
    await cluster.kubectl.prints("create configmap vars --from-env-file=vars.env", "configmap/vars created");
    expect(await cluster.kubectl.json("get configmap vars")).toMatchObject({ data: { A: "1", B: "two words" } });
  });

  it("makes Secrets of every usual type", async () => {
    await cluster.kubectl.prints("create secret generic plain --from-literal=p=s3cret", "secret/plain created");
    await cluster.kubectl.prints("get secret plain -o jsonpath={.type}:{.data.p}", "Opaque:czNjcmV0");
    await cluster.kubectl.prints(
      "create secret docker-registry pull --docker-server=r.example --docker-username=u --docker-password=p",
      "secret/pull created",
    );
    await cluster.kubectl.prints("get secret pull -o jsonpath={.type}", "kubernetes.io/dockerconfigjson");
    const bad =
      "apiVersion: v1\nkind: Secret\nmetadata: {name: half}\ntype: kubernetes.io/tls\nstringData: {tls.crt: x}\n";
    await cluster.kubectl.refuses("create -f -", 'The Secret "half" is invalid: data[tls.key]: Required value', {
      stdin: bad,
    });
    const text = "apiVersion: v1\nkind: Secret\nmetadata: {name: text}\nstringData: {k: hello}\n";
    await cluster.kubectl.prints("create -f -", "secret/text created", { stdin: text });
    await cluster.kubectl.prints("get secret text -o jsonpath={.data.k}{.stringData}", "aGVsbG8=");
  });

  it("creates in a namespace that exists, and in no other", async () => {
    await cluster.kubectl.refuses(
      "create configmap lost -n nowhere",
      'error: failed to create configmap: namespaces "nowhere" not found',
    );
    await cluster.kubectl.prints("create configmap found -n default", "configmap/found created");
    await cluster.kubectl.refuses(
      "create -n default -f -",
      /the namespace from the provided object "work" does not match the namespace "default"/,
      { stdin: configMap("x", "  namespace: work\n") },
    );
  });

  const malformed: [title: string, stdin: string, message: RegExp][] = [
    ["what is not YAML", "a: b: c\n", /^error: error parsing STDIN: error converting YAML to JSON: yaml/],
    ["what is cut off", '{"apiVersion": "v1", "kind": ', /^error: error parsing STDIN: /],
    ["nothing", "", /^error: no objects passed to create$/],
    ["an object without a kind", "apiVersion: v1\nmetadata: {name: x}\n", /error validating data: kind not set/],
    ["an object without a version", "kind: ConfigMap\nmetadata: {name: x}\n", /apiVersion not set/],
    [
      "an unknown kind",
      "apiVersion: v1\nkind: Gadget\nmetadata: {name: x}\n",
      /no matches for kind "Gadget" in version "v1"/,
    ],
    [
      "an unknown group",
      "apiVersion: nobody.example/v1\nkind: Gadget\nmetadata: {name: x}\n",
      /no matches for kind "Gadget" in version "nobody.example\/v1"\nensure CRDs are installed first/,
    ],
    [
      "an object without a name",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n",
      /^The ConfigMap "" is invalid: metadata\.name: Required value: name or generateName is required$/,
    ],
    ["an unknown field", configMap("x", "datum: {}\n"), /strict decoding error: unknown field "datum"/],
    [
      "a value of the wrong type",
      configMap("x", "data: {port: 80}\n"),
      /^Error from server \(BadRequest\): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap\.data of type string$/,
    ],
    [
      "an invalid key",
      configMap("x", 'data: {"a b": c}\n'),
      /^The ConfigMap "x" is invalid: data\[a b\]: Invalid value: "a b": a valid config key must consist of/,
    ],
    [
      "several faults at once",
      configMap("x", '  labels: {"-a": "b c"}\ndata: {"": c}\n'),
      /^The ConfigMap "x" is invalid: \n\* metadata\.labels: Invalid value: "-a": name part must consist of .*\n\* metadata\.labels: Invalid value: "b c": a valid label must be .*\n\* data\[\]: Invalid value: "": /s,
    ],
  ];
  it.each(malformed)("refuses %s", async (_title, stdin, message) => {
    await cluster.kubectl.refuses("create -f -", message, { stdin });
  });

  it("names the path of every fault in a nested object", async () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "bad" },
      spec: {
        restartPolicy: "Sometimes",
        containers: [
          {
            name: "a",
            image: "i",
            ports: [{ containerPort: 0 }],
            resources: { requests: { cpu: "2" }, limits: { cpu: "1" } },
          },
          { name: "a", image: "" },
        ],
      },
    };
    const { code, err } = await cluster.kubectl.run("create -f -", { stdin: JSON.stringify(pod) });
    expect(code).toBe(1);
    for (const fault of [
      'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      "spec.containers[0].ports[0].containerPort: Required value",
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      'spec.containers[1].name: Duplicate value: "a"',
      "spec.containers[1].image: Required value",
    ])
      expect(err).toContain(fault);
  });

  it("accepts unknown fields with a warning or silently", async () => {
    const stdin = configMap("loose", "datum: {}\ndata: {a: b}\n");
    const warned = await cluster.kubectl.run("create --validate=warn -f -", { stdin });
    expect(warned).toEqual({ code: 0, out: "configmap/loose created", err: 'Warning: unknown field "datum"' });
    const ignored = await cluster.kubectl.run("create --validate=ignore -f -", {
      stdin: stdin.replace("loose", "looser"),
    });
    expect(ignored).toEqual({ code: 0, out: "configmap/looser created", err: "" });
    await cluster.kubectl.prints("get configmap loose -o jsonpath={.datum}", "");
  });

  it("sets the defaults of a kind", async () => {
    const stdin = "apiVersion: v1\nkind: Pod\nmetadata: {name: plain}\nspec: {containers: [{name: c, image: i:1}]}\n";
    await cluster.kubectl.prints("create -f -", "pod/plain created", { stdin });
    expect(await cluster.kubectl.json("get pod plain")).toMatchObject({
      spec: {
        restartPolicy: "Always",
        dnsPolicy: "ClusterFirst",
        terminationGracePeriodSeconds: 30,
        schedulerName: "default-scheduler",
        containers: [
          { imagePullPolicy: "IfNotPresent", terminationMessagePath: "/dev/termination-log", resources: {} },
        ],
      },
      status: { phase: "Pending", qosClass: "BestEffort" },
    });
  });
});
