import { setTimeout as delay } from "node:timers/promises";
import type { Program, Run } from "../../../src/program/cli/testing/program.ts";
import { apiVersion, group, type Profile, tuningNamespace } from "../../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../../src/domain/node-tuning/crds.ts";
import type { KubeObject } from "../../../src/language/object/meta.ts";
import type { Machine } from "../../tuned-daemon/machine.ts";

/** Runs on the machine where the server is: sends one request, and prints the answer. */
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
    return cluster;
  }

  /** Creates the Profile, or changes its spec. */
  wants(name: string, text: string): void {
    const spec = { config: { tunedProfile: name }, profile: [{ name, data: text }] };
    const metadata = { name: "n", namespace: tuningNamespace };
    const applied = `${profiles}/n?fieldManager=test&force=true`;
    this.#ask("PATCH", applied, { apiVersion, kind: "Profile", metadata, spec }, "application/apply-patch+yaml");
  }

  deleteProfile(): void {
    this.#ask("DELETE", `${profiles}/n`);
  }

  /** The Profile, once its status is that of its present spec and `holds`. */
  async status(holds: (profile: Profile) => boolean): Promise<Profile> {
    const found = await this.#until(`${profiles}/n`, (object) => {
      const profile = object as Profile;
      return profile.status?.observedGeneration === profile.metadata.generation && holds(profile);
    });
    return found as Profile;
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
    const text = body === undefined ? "" : JSON.stringify(body);
    const url = `${this.#url}${path}`;
    const answer = this.#machine.run(process.execPath, "-e", request, this.kubeconfig, method, url, text, type);
    return JSON.parse(answer) as KubeObject;
  }
}

const profiles = `/apis/${apiVersion}/namespaces/${tuningNamespace}/profiles`;
