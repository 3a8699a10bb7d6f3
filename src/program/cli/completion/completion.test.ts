import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, test } from "vitest";
import { loadConnection } from "../../../cluster/kube/connect/load-connection.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { type ApiServer, startServer } from "../../../embedded/apiserver/server.ts";
import { node, Program } from "../testing/program.ts";

let attune: Program;
let dir: string;
let server: ApiServer;

beforeAll(async () => {
  attune = await Program.build();
  dir = await mkdtemp(join(tmpdir(), "attune-completion-"));
  await writeFile(join(dir, "attune"), `#!/bin/sh\nexec ${node} ${attune.main} "$@"\n`, { mode: 0o755 });
  server = await startServer({ dir: join(dir, "server"), storage: "memory" });
  const client = new HttpClient(await loadConnection({ kubeconfig: server.kubeconfig }));
  for (const name of ["rack-1", "rack-2", "other"])
    await client.create(kinds.node, { apiVersion: "v1", kind: "Node", metadata: { name } });
  client.close();
});
afterAll(async () => {
  await server.close();
  await attune.remove();
  await rm(dir, { recursive: true, force: true });
});

/** What bash offers for the last word. */
async function completed(words: readonly string[], kubeconfig = server.kubeconfig): Promise<string[]> {
  const script = `source <(attune completion bash)
    COMP_WORDS=(attune "$@"); COMP_CWORD=$#; _attune; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, PATH: `${dir}:${process.env.PATH}`, KUBECONFIG: kubeconfig };
  const { stdout, stderr } = await promisify(execFile)("bash", ["-c", script, "bash", ...words], { env });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

it.each<[string[], string[]]>([
  [
    ["tuned", "re"],
    ["recommend", "resolve"],
  ],
  [["plan", "-o", "w"], ["wide"]],
  [
    ["explain", "node", "rack"],
    ["rack-1", "rack-2"],
  ],
  // Files: bash's own completion goes on where there is nothing.
  [["plan", "-f", ""], []],
])("bash goes on with %j", async (words, expected) => {
  expect(await completed(words)).toEqual(expected);
});

it("offers no names, and says nothing, without a cluster", async () => {
  expect(await completed(["explain", "node", ""], join(dir, "gone"))).toEqual([]);
});

test.each(["bash", "zsh", "fish"])("there is a script for %s", async (shell) => {
  expect(await attune.run(["completion", shell])).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining("__complete"),
  });
});

it("says which shells it knows", async () => {
  const { code, stderr } = await attune.run(["completion", "tcsh"]);
  expect([code, stderr]).toEqual([1, "error: completion tcsh: not one of bash, zsh, fish\n"]);
});
