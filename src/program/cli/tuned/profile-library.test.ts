import { describe, expect, it } from "vitest";
import type { FileText } from "../../../node/host/host.ts";
import { MemoryBase } from "../../../node/host/memory-base.ts";
import { MemoryHost } from "../../../node/host/memory-host.ts";
import { type Answer, type Probe, probeKey } from "../../../language/tuned/probe.ts";
import { baseDirectory } from "../../../language/tuned/profiles/base-profiles.ts";
import { type Chain, ProfileLibrary } from "./profile-library.ts";

class Counting extends MemoryHost {
  readonly asked: string[] = [];

  constructor(files: Readonly<Record<string, string>>) {
    super(new MemoryBase(Object.entries(files)));
  }

  override read(path: string): Promise<FileText> {
    this.asked.push(path);
    if (path.startsWith("/low/locked/")) return Promise.resolve({ type: "failed", code: "EACCES", message: "EACCES" });
    return super.read(path);
  }
}

const host = (): Counting =>
  new Counting({
    "/low/a/tuned.conf": "[main]\ninclude=b\n",
    "/low/b/tuned.conf": "# low\n",
    "/low/c/tuned.conf": "",
    "/low/scripts/run.sh": "",
    "/low/locked/tuned.conf": "",
    "/high/b/tuned.conf": "[main]\ninclude=b\n# high\n",
    "/high/asks/tuned.conf": "[main]\ninclude=${f:exec:say:c}\n",
  });

async function open(host: Counting): Promise<ProfileLibrary> {
  return ProfileLibrary.open([
    { host, directory: "/low" },
    { host, directory: "/high" },
  ]);
}

const silent = (): Promise<[]> => Promise.resolve([]);
const files = ({ links }: Chain): string[] => links.map(({ profile }) => profile.file);

describe("a library of profiles", () => {
  it("finds a chain, included profiles first, and a profile hidden by one of the same name", async () => {
    const library = await open(host());
    const chain = await library.chain(["a"], silent);
    expect(files(chain)).toEqual(["/low/b/tuned.conf", "/high/b/tuned.conf", "/low/a/tuned.conf"]);
    expect(chain.links.map(({ profile }) => library.text(profile))).toEqual([
      "# low\n",
      "[main]\ninclude=b\n# high\n",
      "[main]\ninclude=b\n",
    ]);
  });

  it("reads no more files than the chain has", async () => {
    const node = host();
    await (await open(node)).chain(["a"], silent);
    expect(node.asked.toSorted()).toEqual(["/high/b/tuned.conf", "/low/a/tuned.conf", "/low/b/tuned.conf"]);
  });

  it("has the built-in profiles in the lowest layer, with their texts", async () => {
    const library = await open(host());
    const { links } = await library.chain(["openshift-node"], silent);
    const [last] = links.slice(-1);
    expect(last?.profile.file).toBe(`${baseDirectory}/openshift-node/tuned.conf`);
    expect(last && library.text(last.profile)).toContain("include=openshift");
  });

  it("asks what an include depends on, and returns the answers", async () => {
    const asked: Probe[] = [];
    const chain = await (
      await open(host())
    ).chain(["asks"], (probes) => {
      asked.push(...probes);
      return Promise.resolve(probes.map((probe): [string, Answer] => [probeKey(probe), { type: "text", text: "c" }]));
    });
    expect(asked).toEqual([{ type: "exec", argv: ["say", "c"] }]);
    expect(files(chain)).toEqual(["/low/c/tuned.conf", "/high/asks/tuned.conf"]);
    expect([...chain.answers.keys()]).toEqual(asked.map(probeKey));
  });

  it("continues without a missing answer", async () => {
    expect(files(await (await open(host())).chain(["asks"], silent))).toEqual(["/high/asks/tuned.conf"]);
  });

  it.each([
    ["nosuch", { message: 'profile "nosuch" does not exist' }],
    ["scripts", { message: 'profile "scripts" does not exist' }],
    ["locked", { file: "/low/locked/tuned.conf", message: "EACCES" }],
  ])("reports what is wrong with %s", async (name, problem) => {
    const { problems } = await (await open(host())).chain([name], silent);
    expect(problems).toEqual([problem]);
  });

  it("lists all profiles", async () => {
    const [base, low, high] = await (await open(host())).all();
    expect([...(low?.keys() ?? [])]).toEqual(["a", "b", "c", "locked"]);
    expect([...(high?.keys() ?? [])]).toEqual(["asks", "b"]);
    expect(base?.has("balanced")).toBe(true);
  });
});
