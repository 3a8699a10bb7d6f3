import { expect, it } from "vitest";
import { untyped } from "../../src/cluster/kube/kinds.ts";
import { informerOfOne } from "../../src/cluster/kube/informer/informer.ts";
import { LeaderElection } from "../../src/cluster/runtime/leader/leader-election.ts";
import { leadersOnly, LeadershipLostError } from "../../src/cluster/runtime/leader/leader-gate.ts";
import { leaseKind, leaseStore } from "../../src/cluster/runtime/leader/lease.ts";
import { whenAborted } from "../../src/cluster/runtime/clock.ts";
import { withEachServer } from "./with-each-server.ts";
import { clientFor } from "../servers/client-for.ts";

const configMaps = untyped("v1", "ConfigMap", "configmaps", true);

withEachServer("leaders", (server) => {
  it("follow one another, never two at a time, and writes of the former leader are refused", async () => {
    const client = clientFor(server());
    const terms: string[] = [];
    let leading = 0;
    const candidate = (identity: string) => {
      const stop = new AbortController();
      const place = { namespace: "default", name: "test-leader" };
      const lease = leaseStore(client, { ...place, informer: informerOfOne(client, leaseKind, place) });
      const election = new LeaderElection({
        identity,
        lease,
        leaseDurationMs: 3000,
        renewDeadlineMs: 2000,
        retryPeriodMs: 50,
      });
      let begin = (): void => {};
      const began = new Promise<void>((resolve) => (begin = resolve));
      const ended = election.lead(stop.signal, async (signal) => {
        leading++;
        expect(leading).toBe(1);
        terms.push(identity);
        begin();
        await whenAborted(signal);
        leading--;
      });
      return { began, ended, stop, guarded: leadersOnly(client, election.gate) };
    };

    const first = candidate("first");
    await first.began;
    const second = candidate("second");
    await first.guarded.create(
      configMaps,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "by-the-leader", namespace: "default" } },
      { namespace: "default" },
    );
    first.stop.abort();
    await first.ended;
    await second.began;
    await expect(first.guarded.get(configMaps, "by-the-leader", { namespace: "default" })).rejects.toThrow(
      LeadershipLostError,
    );
    await expect(second.guarded.get(configMaps, "by-the-leader", { namespace: "default" })).resolves.toMatchObject({
      kind: "ConfigMap",
    });
    second.stop.abort();
    await second.ended;
    expect(terms).toEqual(["first", "second"]);
  });
});
