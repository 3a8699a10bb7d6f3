import { expect, test } from "vitest";
import { systemNames } from "./state-directory.ts";
import { chooseStage, type Wanted } from "./choose-stage.ts";

const nothing: Wanted = { mode: undefined, example: undefined, nodes: undefined, topology: undefined };

test.each<[Partial<Wanted>, string, string]>([
  [{}, "hosted", "hosted"],
  [{ mode: "plain" }, "plain", "plain"],
  [{ example: "none" }, "hosted", "hosted"],
  [{ example: "hosted" }, "hosted", "hosted"],
  [{ example: "tuned" }, "standalone", "tuned"],
  [{ example: "performance" }, "plain", "performance"],
  [{ example: "scylla", mode: "standalone" }, "standalone", "scylla"],
  [{ topology: "nodes.yaml" }, "plain", "plain-topology"],
  [{ topology: "nodes.yaml", mode: "hosted" }, "hosted", "hosted-topology"],
  [{ topology: "nodes.yaml", mode: "standalone" }, "standalone", "standalone-topology"],
  [{ topology: "nodes.yaml", example: "tuned" }, "standalone", "tuned"],
])("%j runs %s in the directory %s", (wanted, mode, name) => {
  expect(chooseStage({ ...nothing, ...wanted })).toMatchObject({ mode, name });
  // Where other commands look for it.
  expect(systemNames).toContain(name);
});

test.each<[Partial<Wanted>, string]>([
  [{ nodes: 2, topology: "f" }, "--nodes and --topology cannot be used together"],
  [{ nodes: 2, example: "tuned" }, "--nodes and --example tuned cannot be used together"],
  [{ topology: "f", example: "hosted" }, "--topology and --example hosted cannot be used together"],
  [{ example: "performance", mode: "standalone" }, "--example performance needs --mode plain"],
  [{ example: "hosted", mode: "plain" }, "--example hosted needs --mode hosted"],
])("%j is refused", (wanted, message) => {
  expect(() => chooseStage({ ...nothing, ...wanted })).toThrow(message);
});
