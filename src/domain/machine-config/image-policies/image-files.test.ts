import { describe, expect, it } from "vitest";
import { contentsOf } from "../../../language/ignition/file-contents.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { readYaml } from "../../../language/object/yaml.ts";
import { readRegistries } from "../cost/read-registries.ts";
import { clusterImagePolicy, contentSourcePolicy, digestMirrorSet } from "./api.ts";
import { imageFiles } from "./image-files.ts";

const registriesPath = "/etc/containers/registries.conf";
const policyPath = "/etc/containers/policy.json";
const signaturesPath = "/etc/containers/registries.d/sigstore-registries.yaml";

function digestMirrors(name: string, ...imageDigestMirrors: object[]): KubeObject {
  return { ...digestMirrorSet, metadata: { name }, spec: { imageDigestMirrors } };
}

function sourcePolicy(name: string, ...repositoryDigestMirrors: object[]): KubeObject {
  return { ...contentSourcePolicy, metadata: { name }, spec: { repositoryDigestMirrors } };
}

function imagePolicy(name: string, scopes: string[], policy: object): KubeObject {
  return { ...clusterImagePolicy, metadata: { name }, spec: { scopes, policy } };
}

function filesOf(objects: KubeObject[], present: Record<string, string> = {}): Record<string, string | undefined> {
  const { files, problems } = imageFiles(objects, (path) => present[path]);
  expect(problems).toEqual([]);
  return Object.fromEntries(files.map((file) => [file.path, contentsOf(file)]));
}

function problemsOf(objects: KubeObject[], present: Record<string, string> = {}): string[] {
  const { problems } = imageFiles(objects, (path) => present[path]);
  return problems.map(({ object, field, message }) => `${object.name}: ${field}: ${message}`);
}

interface Entry {
  readonly at: string;
  readonly blocked?: boolean;
  readonly digestOnly?: boolean;
  readonly mirrors: readonly string[];
}

function entries(text: string | undefined): Entry[] {
  const read = readRegistries(text ?? "");
  if (read.type === "problem") throw new Error(read.message);
  return read.registries.map(({ prefix, location, blocked, digestOnly, mirrors }) => ({
    at: prefix ? `prefix ${prefix}` : location,
    ...(blocked ? { blocked } : {}),
    ...(digestOnly ? { digestOnly } : {}),
    mirrors: mirrors.map((mirror) => `${mirror.location} ${mirror.pull}`.trim()),
  }));
}

describe("registries.conf", () => {
  it.each<[string, KubeObject[], string, Entry[]]>([
    [
      "has the sources of all objects, by name",
      [
        digestMirrors("b", { source: "z.example", mirrors: ["m.example/z"] }),
        sourcePolicy("a", { source: "q.example/team", mirrors: ["m.example:5000/q"] }),
      ],
      "",
      [
        { at: "q.example/team", mirrors: ["m.example:5000/q digest-only"] },
        { at: "z.example", mirrors: ["m.example/z digest-only"] },
      ],
    ],
    [
      "has the mirrors of one source once each, in the order of the objects' names",
      [
        digestMirrors("b", { source: "q.example", mirrors: ["two.example", "one.example"] }),
        digestMirrors("a", { source: "q.example", mirrors: ["one.example"] }),
      ],
      "",
      [{ at: "q.example", mirrors: ["one.example digest-only", "two.example digest-only"] }],
    ],
    [
      "blocks a source that must not be contacted, also one without mirrors",
      [digestMirrors("a", { source: "q.example", mirrorSourcePolicy: "NeverContactSource" })],
      "",
      [{ at: "q.example", blocked: true, mirrors: [] }],
    ],
    [
      "has a pattern of hosts as prefix",
      [digestMirrors("a", { source: "*.q.example", mirrors: ["m.example"] })],
      "",
      [{ at: "prefix *.q.example", mirrors: ["m.example digest-only"] }],
    ],
    [
      "keeps what a MachineConfig says of other sources, and adds to what it says of the same",
      [digestMirrors("a", { source: "q.example", mirrors: ["m.example", "n.example"] })],
      '[[registry]]\nlocation = "x.example"\nblocked = true\n[[registry]]\nlocation = "q.example"\n[[registry.mirror]]\nlocation = "m.example"\npull-from-mirror = "all"\n',
      [
        { at: "x.example", blocked: true, mirrors: [] },
        { at: "q.example", mirrors: ["m.example all", "n.example digest-only"] },
      ],
    ],
    [
      "gives no mirror a rule of its own where one holds for all: both together are refused",
      [digestMirrors("a", { source: "q.example", mirrors: ["m.example"] })],
      '[[registry]]\nlocation = "q.example"\nmirror-by-digest-only = true\n',
      [{ at: "q.example", digestOnly: true, mirrors: ["m.example"] }],
    ],
  ])("%s", (_, objects, present, expected) => {
    const files = filesOf(objects, { [registriesPath]: present });
    expect(Object.keys(files)).toEqual([registriesPath]);
    expect(entries(files[registriesPath])).toEqual(expected);
  });

  it("is left alone by objects that name no source", () => {
    expect(filesOf([digestMirrors("a")], { [registriesPath]: "" })).toEqual({});
  });

  it.each([
    ["[[registry", "line 1 is not TOML: expected ]]"],
    ["[registries.search]\nregistries = []\n", "is of version 1: write [[registry]] tables"],
    ["registry = 1\n", "registry is no list of tables: write [[registry]]"],
  ])("%j of a MachineConfig is a problem", (present, message) => {
    const objects = [digestMirrors("a", { source: "q.example", mirrors: ["m.example"] })];
    expect(problemsOf(objects, { [registriesPath]: present })).toEqual([
      `a: spec: mirrors cannot be added to the ${registriesPath} of a MachineConfig: ${message}`,
    ]);
  });
});

const publicKey = { policyType: "PublicKey", publicKey: { keyData: "a2V5" } };
const matched = { type: "matchRepoDigestOrExact" };

describe("signatures", () => {
  it.each<[string, object, object]>([
    ["a key", { rootOfTrust: publicKey }, { keyData: "a2V5", signedIdentity: matched }],
    [
      "a key and a log",
      { rootOfTrust: { ...publicKey, publicKey: { keyData: "a2V5", rekorKeyData: "bG9n" } } },
      { keyData: "a2V5", rekorPublicKeyData: "bG9n", signedIdentity: matched },
    ],
    [
      "an authority of short-lived certificates",
      {
        rootOfTrust: {
          policyType: "FulcioCAWithRekor",
          fulcioCAWithRekor: {
            fulcioCAData: "Y2E=",
            rekorKeyData: "bG9n",
            fulcioSubject: { oidcIssuer: "https://issuer.example", signedEmail: "a@b.example" },
          },
        },
      },
      {
        fulcio: { caData: "Y2E=", oidcIssuer: "https://issuer.example", subjectEmail: "a@b.example" },
        rekorPublicKeyData: "bG9n",
        signedIdentity: matched,
      },
    ],
    [
      "an authority",
      {
        rootOfTrust: {
          policyType: "PKI",
          pki: { caRootsData: "cm9vdA==", pkiCertificateSubject: { hostname: "h.example" } },
        },
      },
      { pki: { caRootsData: "cm9vdA==", subjectHostname: "h.example" }, signedIdentity: matched },
    ],
    [
      "one repository",
      {
        rootOfTrust: publicKey,
        signedIdentity: { matchPolicy: "ExactRepository", exactRepository: { repository: "q.example/a" } },
      },
      { keyData: "a2V5", signedIdentity: { type: "exactRepository", dockerRepository: "q.example/a" } },
    ],
    [
      "renamed repositories",
      {
        rootOfTrust: publicKey,
        signedIdentity: {
          matchPolicy: "RemapIdentity",
          remapIdentity: { prefix: "q.example", signedPrefix: "s.example" },
        },
      },
      {
        keyData: "a2V5",
        signedIdentity: { type: "remapIdentity", prefix: "q.example", signedPrefix: "s.example" },
      },
    ],
  ])("by %s are required of a scope, and of no other image", (_, policy, expected) => {
    const files = filesOf([imagePolicy("a", ["q.example"], policy)]);
    const requirement = [{ type: "sigstoreSigned", ...expected }];
    const anything = [{ type: "insecureAcceptAnything" }];
    expect(JSON.parse(files[policyPath] ?? "")).toEqual({
      default: anything,
      transports: {
        "docker-daemon": { "": anything },
        docker: { "q.example": requirement },
        atomic: { "q.example": requirement },
      },
    });
    expect(readYaml(files[signaturesPath] ?? "")).toEqual({
      docker: { "q.example": { "use-sigstore-attachments": true } },
    });
  });

  it("of several policies of one scope are all required, after what a MachineConfig requires", () => {
    const other = { rootOfTrust: { policyType: "PublicKey", publicKey: { keyData: "b3RoZXI=" } } };
    const present = { default: [{ type: "reject" }], transports: { docker: { "q.example": [{ type: "reject" }] } } };
    const files = filesOf(
      [imagePolicy("b", ["q.example"], other), imagePolicy("a", ["q.example"], { rootOfTrust: publicKey })],
      { [policyPath]: JSON.stringify(present) },
    );
    const keyed = (keyData: string): object => ({ type: "sigstoreSigned", keyData, signedIdentity: matched });
    expect(JSON.parse(files[policyPath] ?? "")).toMatchObject({
      default: [{ type: "reject" }],
      transports: { docker: { "q.example": [{ type: "reject" }, keyed("a2V5"), keyed("b3RoZXI=")] } },
    });
  });

  it.each<[string, string, boolean]>([
    ["q.example/team", "q.example", true],
    ["q.example", "q.example/team", true],
    ["q.example", "q.example:5000", true],
    ["*.example", "q.example/team", true],
    ["q.example/team", "q.example/teams", false],
    ["q.example", "other.example", false],
  ])("of images of %s are looked for at mirrors of %s: %s", (scope, source, isLookedFor) => {
    const files = filesOf([
      imagePolicy("a", [scope], { rootOfTrust: publicKey }),
      digestMirrors("m", { source, mirrors: ["m.example"] }),
    ]);
    expect(files[signaturesPath]?.includes("m.example")).toBe(isLookedFor);
  });

  it.each<[object, string]>([
    [{ rootOfTrust: { policyType: "PublicKey" } }, "spec.policy.rootOfTrust.publicKey"],
    [{ rootOfTrust: { policyType: "PKI" } }, "spec.policy.rootOfTrust.pki"],
    [
      { rootOfTrust: { policyType: "PKI", pki: { caRootsData: "cm9vdA==", pkiCertificateSubject: {} } } },
      "spec.policy.rootOfTrust.pki.pkiCertificateSubject.email",
    ],
    [{ rootOfTrust: { policyType: "FulcioCAWithRekor" } }, "spec.policy.rootOfTrust.fulcioCAWithRekor"],
    [
      { rootOfTrust: publicKey, signedIdentity: { matchPolicy: "RemapIdentity" } },
      "spec.policy.signedIdentity.remapIdentity",
    ],
    [
      { rootOfTrust: publicKey, signedIdentity: { matchPolicy: "ExactRepository" } },
      "spec.policy.signedIdentity.exactRepository",
    ],
  ])("%j lacks a part", (policy, field) => {
    expect(problemsOf([imagePolicy("a", ["q.example"], policy)])).toEqual([`a: ${field}: Required value`]);
  });

  it.each(["[]", "{"])("are a problem where policy.json of a MachineConfig is %j", (present) => {
    expect(
      problemsOf([imagePolicy("a", ["q.example"], { rootOfTrust: publicKey })], { [policyPath]: present }),
    ).toEqual([`a: spec: ${policyPath} of a MachineConfig is no JSON object: mend it, or remove it there`]);
  });
});
