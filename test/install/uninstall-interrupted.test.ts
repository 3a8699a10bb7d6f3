import { expect, it, onTestFinished } from "vitest";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { type Clock, systemClock } from "../../src/cluster/runtime/clock.ts";
import { tunedKind } from "../../src/domain/node-tuning/api.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { installManifests } from "../../src/program/cli/install/manifests.ts";
import { RecordingTerminal } from "../../src/program/cli/terminal/testing/recording-terminal.ts";
import { uninstallFrom } from "../../src/program/cli/uninstall/uninstall.ts";
import { systemNamespace } from "../../src/program/operator/names.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { clientFor } from "../servers/client-for.ts";
import { startEmbeddedServer } from "../servers/embedded-server.ts";

/** Waits a twentieth of the time. */
const impatient: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(ms / 20, callback) };

async function installed(): Promise<HttpClient> {
  const server = await startEmbeddedServer();
  const admin = clientFor(server);
  onTestFinished(async () => {
    admin.close();
    await server.close();
  });
  await applyManifests(admin, installManifests({ mode: "tuning" }));
  await eventually("kinds are served", () => admin.list(tunedKind));
  return admin;
}

async function uninstall(client: Client): Promise<{ code: number; out: string }> {
  const terminal = new RecordingTerminal();
  const { signal } = new AbortController();
  const options = { namespace: systemNamespace, dryRun: false, crds: false, timeout: 60_000, output: "text" } as const;
  const code = await uninstallFrom(client, options, { terminal, signal, clock: impatient });
  return { code, out: terminal.stdout };
}

const nothing = { code: 0, out: "Nothing to do: the cluster has no objects of Attune\n" };

class Interrupted extends Error {}

/** Stands for a command that is killed when the API server has carried out its first change. */
function killedAfterOneChange(client: HttpClient): Client {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== "delete" && name !== "patch") return value.bind(target);
      return async (...args: unknown[]) => {
        await value.apply(target, args);
        throw new Interrupted();
      };
    },
  });
}

it("continues after an interruption at any of its changes", async () => {
  const admin = await installed();
  const killed = killedAfterOneChange(admin);
  let runs = 0;
  for (let ended = false; !ended && runs < 500; runs++)
    ended = await uninstall(killed).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Interrupted)) throw error;
        return false;
      },
    );
  expect(runs).toBeGreaterThan(20);
  expect(await uninstall(admin)).toEqual(nothing);
});

it("run twice at once, both end when everything is gone", async () => {
  const admin = await installed();
  const both = await Promise.all([uninstall(admin), uninstall(admin)]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(await uninstall(admin)).toEqual(nothing);
});
