import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { Program, Run } from "../../../src/program/cli/testing/program.ts";
import { apiVersion, group, type Profile, tuningNamespace } from "../../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../../src/domain/node-tuning/crds.ts";
import type { KubeObject } from "../../../src/language/object/meta.ts";
import type { Machine } from "../../tuned-daemon/machine.ts";

/** Runs on the machine where the server is: sends one request, and prints the answer as it arrives. */
const request = `
const { readFileSync } = require("node:fs");
const [kubeconfig, method, url, body, type] = process.argv.slice(1);
const text = readFileSync(kubeconfig, "utf8");
const [, token] = /token: "(\\S+)"/.exec(text);
const [, ca] = /certificate-authority-data: (\\S+)/.exec(text);
const headers = { authorization: "Bearer " + token, "content-type": type };
const options = { method, headers, ca: Buffer.from(ca, "base64"), agent: false };
require("node:https").request(url, options, (answer) => answer.pipe(process.stdout)).end(body);
`;

const pauseMs = 100;

/** The embedded server on a machine, with a Profile for the node \`n\`. */
export class Cluster {
  readonly kubeconfig: string;
  readonly #machine: Machine;
  readonly #server: Run;
  readonly #url: string;
  /** All versions of the Profile: polling would miss a state that lasts as long as a restart of TuneD. */
  readonly #profiles: Profile[] = [];
  /** How many of them were asked about and did not hold. */
  #passed = 0;
  #generation = 0;
  #arrived = (): void => {};

  private constructor(machine: Machine, server: Run, url: string, kubeconfig: string) {
    this.#machine = machine;
    this.#server = server;
    this.#url = url;
    this.kubeconfig = kubeconfig;
  }

  static async start(machine: Machine, attune: Program): Promise<Cluster> {
    // The machine's own /run: gone with it.
    const server = attune.start(["apiserver", "--dir", "/run/server"], {}, machine.enter);
    const [, url = ""] = await server.printed(/^ready (\S+)$/m);
    const cluster = new Cluster(machine, server, url, "/run/server/kubeconfig");
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    for (const crd of nodeTuningCrds) cluster.#ask("POST", crds, crd);
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: tuningNamespace } };
    cluster.#ask("POST", "/api/v1/namespaces", namespace);
    await cluster.#until(`${crds}/profiles.${group}`, (crd) => JSON.stringify(crd).includes('"Established"'));
    cluster.#watch();
    return cluster;
  }

  /** Creates the Profile, or changes its spec. */
  wants(name: string, text: string): void {
    const spec = { config: { tunedProfile: name }, profile: [{ name, data: text }] };
    const metadata = { name: "n", namespace: tuningNamespace };
    const applied = `${profiles}/n?fieldManager=test&force=true`;
    const object = { apiVersion, kind: "Profile", metadata, spec };
    const { generation = 0 } = this.#ask("PATCH", applied, object, "application/apply-patch+yaml").metadata;
    this.#generation = generation;
  }

  deleteProfile(): void {
    this.#ask("DELETE", `${profiles}/n`);
  }

  /** The first version of the Profile, since that of the last call, whose status is that of its present spec and `holds`. */
  async status(holds: (profile: Profile) => boolean): Promise<Profile> {
    for (; ; this.#passed++) {
      while (this.#passed === this.#profiles.length) await new Promise<void>((resolve) => (this.#arrived = resolve));
      const profile = this.#profiles[this.#passed]!;
      if (profile.status?.observedGeneration === this.#generation && holds(profile)) return profile;
    }
  }

  /** Ends with the server. */
  #watch(): void {
    const words = this.#request("GET", `${profiles}?watch=true`);
    const [program = "", ...args] = [...this.#machine.enter, ...words];
    const { stdout } = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
    createInterface({ input: stdout }).on("line", (line) => {
      this.#profiles.push((JSON.parse(line) as { object: Profile }).object);
      this.#arrived();
    });
  }

  stop(): Promise<unknown> {
    return this.#server.stop("SIGKILL");
  }

  async #until(path: string, holds: (object: KubeObject) => boolean): Promise<KubeObject> {
    for (;;) {
      const object = this.#ask("GET", path);
      if (holds(object)) return object;
      await delay(pauseMs);
    }
  }

  #ask(method: string, path: string, body?: object, type = "application/json"): KubeObject {
    return JSON.parse(this.#machine.run(...this.#request(method, path, body, type))) as KubeObject;
  }

  #request(method: string, path: string, body?: object, type = "application/json"): string[] {
    const text = body === undefined ? "" : JSON.stringify(body);
    return [process.execPath, "-e", request, this.kubeconfig, method, `${this.#url}${path}`, text, type];
  }
}

const profiles = `/apis/${apiVersion}/namespaces/${tuningNamespace}/profiles`;
