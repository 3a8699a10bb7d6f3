import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer } from "../../src/embedded/apiserver/server.ts";
import { clientFor } from "../servers/client-for.ts";
import { controllerManagerPath, startControllerManager, switchedOff } from "../servers/controller-manager.ts";
import { startRealServer } from "../servers/real-server.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";
import { playOneNode } from "./one-node.ts";
import { type Answered, type Recorder, startRecorder } from "./recorder.ts";
import { acts, Cluster } from "./scenario.ts";

if (controllerManagerPath)
  for (const [name, reason] of Object.entries(switchedOff)) console.log(`without ${name}: ${reason}`);
else console.log("not run: kube-controller-manager (KUBEBUILDER_ASSETS names no folder that has it)");

type Server = Pick<ServerUnderTest, "url" | "authority" | "close">;

async function startEmbedded(): Promise<Server> {
  const dir = await mkdtemp(join(tmpdir(), "attune-controlled-"));
  // kube-controller-manager does what the embedded server can do itself.
  const server = await startServer({ dir, storage: "memory", housekeeping: false });
  const close = async (): Promise<void> => {
    await server.close();
    await rm(dir, { recursive: true, force: true });
  };
  return { url: server.url, authority: server.authority, close };
}

const startReal = (): Promise<Server> =>
  startRealServer(process.env.KUBEBUILDER_ASSETS ?? "", { namespaceDefaults: false });

const runs = [
  { title: "the embedded server, each under its own account", start: startEmbedded, accounts: true, recorded: true },
  { title: "the embedded server, all as one, without anybody between", start: startEmbedded, accounts: false },
  { title: "the real server, each under its own account", start: startReal, accounts: true, recorded: true },
] as const;

const recorded = new Map<string, readonly Answered[]>();

describe.skipIf(!controllerManagerPath)("kube-controller-manager", () => {
  describe.each(runs)("on $title", (run) => {
    const ending: (() => Promise<unknown>)[] = [];
    let cluster: Cluster;
    let recorder: Recorder | undefined;
    let complaints: () => string[];

    beforeAll(async () => {
      const server = await run.start();
      ending.unshift(() => server.close());
      if ("recorded" in run) {
        const started = await startRecorder(server);
        ending.unshift(() => started.close());
        recorded.set(run.title, started.answers);
        recorder = started;
      }
      const client = clientFor(server);
      cluster = new Cluster(client);
      const stop = new AbortController();
      const node = playOneNode(client, stop.signal);
      const manager = await startControllerManager({
        path: controllerManagerPath ?? "",
        server,
        url: recorder?.url ?? server.url,
        accounts: run.accounts,
      });
      complaints = () => manager.complaints();
      ending.unshift(async () => {
        stop.abort();
        await node;
        client.close();
        await manager.stop();
      });
    }, 120_000);

    afterAll(async () => {
      for (const end of ending) await end();
    });

    it.each(acts)(
      "%s",
      async (_what, act) => {
        // From here on objects are deleted that several controllers manage.
        if (act === acts.at(-2)?.[1]) recorder?.beginEndgame();
        await act(cluster);
      },
      120_000,
    );

    it("logs no errors", () => {
      expect(complaints().filter((line) => !excused.some((pattern) => pattern.test(line)))).toEqual([]);
    });
  });

  it("gets the same answers from the embedded server as from the real one", () => {
    const [embedded = [], real = []] = recorded.values();
    expect(embedded.length).toBeGreaterThan(200);
    expect(embedded.filter(({ code }) => code >= 500)).toEqual([]);
    expect(refusals(embedded).filter((refusal) => !refusals(real).includes(refusal))).toEqual([]);
  });

  it("uses the same kinds on the embedded server as on the real one", () => {
    const [embedded = [], real = []] = recorded.values();
    const kinds = (answers: readonly Answered[]): Set<string> => new Set(answers.map(kindOf));
    const missing = [...kinds(real)].filter((kind) => !kinds(embedded).has(kind));
    expect(missing.filter((kind) => !notServed.some((start) => kind.startsWith(start)))).toEqual([]);
  });
});

/** `apps/deployments`, or a path without a kind. */
const kindOf = ({ request }: Answered): string => request.slice(request.indexOf(" ") + 1).split("/NAME")[0] ?? "";

/** Without those of two controllers that write, delete or create the same object at once. */
function refusals(answers: readonly Answered[]): string[] {
  const isNamed = ({ request }: Answered): boolean => request.includes("/NAME");
  const isMade = ({ request }: Answered): boolean => request.startsWith("POST ");
  const been = new Set(
    answers
      .filter((answer) => answer.code < 300 && (isNamed(answer) || isMade(answer)))
      .map((answer) => kindOf(answer)),
  );
  const isLate = (answer: Answered): boolean =>
    answer.code === 409 ||
    (answer.code === 404 && isNamed(answer) && been.has(kindOf(answer))) ||
    (answer.code === 403 && isMade(answer) && answer.endgame);
  const refused = answers.filter((answer) => answer.code >= 400 && !isLate(answer));
  return [...new Set(refused.map(({ request, code }) => `${request} ${code}`))];
}

/** Log lines that it writes on any server. */
const excused: readonly RegExp[] = [
  // There is no metrics server.
  /\(get pods\.metrics\.k8s\.io\)/,
  // A StatefulSet outlives its pods for a moment.
  /because it is being terminated/,
  // Of two concurrent writes or deletions one fails.
  /the object has been modified; please apply your changes to the latest version/,
  /(?:garbagecollector|horizontal|replica_set|stateful_set|daemon_controller|deployment_controller|job_controller|disruption|endpoint\w*)\.go.* not found/,
];

/** Kinds that the embedded server does not have. */
const notServed: readonly string[] = [
  "limitranges",
  "podtemplates",
  "resourcequotas",
  "certificates.k8s.io/",
  "flowcontrol.apiserver.k8s.io/",
  "networking.k8s.io/ingress",
  "networking.k8s.io/ipaddresses",
  "networking.k8s.io/servicecidrs",
  "resource.k8s.io/",
  "storage.k8s.io/csistoragecapacities",
];
