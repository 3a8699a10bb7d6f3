import { describe, expect, it } from "vitest";
import { MemoryBase } from "../../../host/memory-base.ts";
import { MemoryHost } from "../../../host/memory-host.ts";
import type { Outcome } from "../../../host/host.ts";
import { parseProfile } from "../../../../language/tuned/text/parse-profile.ts";
import { resolve, type ResolvedProfile } from "../../../../language/tuned/resolve.ts";
import { nativeEngine } from "../../native-engine.ts";
import { complaints, expectedOutcome, outcomeOf, runCase } from "../../testing/plugin-bench.ts";
import { recordedCase, recordedCases } from "../../testing/recorded-case.ts";
import { irq } from "./irq.ts";

const plugins = [irq];

describe("Interrupts are moved as TuneD moves them", () => {
  const cases = recordedCases("26-plugin-others").filter(({ id }) => id.startsWith("irq-"));
  it.each(cases)("$id", async (one) => {
    const result = await runCase(one, { plugins });
    expect(outcomeOf(result)).toEqual(expectedOutcome(one));
    expect(complaints(result)).toEqual([]);
  });
});

describe("Interrupts", () => {
  const one = recordedCase("26-plugin-others", "irq-intersect");
  it.each([
    { profile: "affinity=\n", said: [], applied: "c\n" },
    { profile: "affinity=x\n", said: ['affinity: "x" is not a list of CPUs'], applied: "c\n" },
    {
      profile: "mode=or\naffinity=0\n",
      said: ['mode: is "or", but only set and intersect exist: set is used'],
      applied: "00000001",
    },
    { profile: "speed=1\naffinity=0\n", said: ["speed: is not an option of [irq]"], applied: "00000001" },
  ])("with $profile get $applied", async ({ profile, said, applied }) => {
    const result = await runCase({ ...one, input: { ...one.input, profile: `[irq]\n${profile}` } }, { plugins });
    expect(complaints(result)).toEqual(said);
    expect(result.applied["/proc/irq/17/smp_affinity"]).toBe(applied);
    expect(result.verify?.differences).toEqual([]);
  });
});

/** A node whose interrupt 2 belongs to the kernel. */
class Node extends MemoryHost {
  readonly tried: string[] = [];

  override async write(path: string, text: string): Promise<Outcome> {
    this.tried.push(path);
    if (path.startsWith("/proc/irq/2/")) return { type: "failed", code: "EIO", message: "EIO: i/o error" };
    this.put(path, `${text}\n`);
    return { type: "done" };
  }
}

function node(): Node {
  return new Node(
    new MemoryBase([
      ["/proc/sys/kernel/random/boot_id", "boot-1\n"],
      ["/proc/irq/1/smp_affinity", "f\n"],
      ["/proc/irq/2/smp_affinity", "f\n"],
      ["/proc/irq/default_smp_affinity", "f\n"],
    ]),
  );
}

function profileOf(text: string): ResolvedProfile {
  const resolution = resolve({ profile: "b", layers: [new Map([["b", parseProfile(text, "b")]])] }, new Map());
  if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution));
  return resolution.profile;
}

describe("Interrupts of a node", () => {
  const engine = nativeEngine(plugins);
  const profile = profileOf("[irq]\naffinity=0\n");

  it("whose CPUs the kernel manages are no failure, are not tried again and verify as passed", async () => {
    const host = node();
    const { settings } = await engine.apply(profile, host);
    expect(settings.map(({ type }) => type)).not.toContain("failed");
    expect((await engine.verify(profile, host)).differences).toEqual([]);
    host.tried.length = 0;
    await engine.apply(profile, host);
    expect(host.tried).toEqual([]);
  });

  it("that another process moves afterwards are a difference", async () => {
    const host = node();
    await engine.apply(profile, host);
    host.put("/proc/irq/1/smp_affinity", "2\n");
    expect((await engine.verify(profile, host)).differences).toMatchObject([
      { device: "irq1", expected: "00000001", found: "00000002" },
    ]);
  });

  it("stay within their original CPUs when the next profile allows more", async () => {
    const host = node();
    await engine.apply(profileOf("[irq]\nmode=intersect\naffinity=0\n"), host);
    await engine.apply(profileOf("[irq]\nmode=intersect\naffinity=0-1\n"), host);
    expect(await host.read("/proc/irq/1/smp_affinity")).toEqual({ type: "text", text: "00000003\n" });
    await engine.rollback(host);
    expect(await host.read("/proc/irq/1/smp_affinity")).toEqual({ type: "text", text: "0000000f\n" });
  });
});
