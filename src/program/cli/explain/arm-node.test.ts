import { expect, it } from "vitest";
import { expectedProfile, profilesOf } from "../../../domain/node-tuning/expected-profile.ts";
import { knownAnswers } from "../../../domain/node-tuning/known-nodes.ts";
import { machine } from "../../../embedded/lab/machine.ts";
import { machineBase, smallMachine } from "../../../embedded/lab/machine-base.ts";
import { reportedAnswers } from "../../../node/on-node/report/reported-answers.ts";
import { resolveOnNode } from "../../../node/on-node/resolve-on-node.ts";

it("nothing is unresolved on arm64: the node has reported what its profile asks about the processor", async () => {
  const spec = { config: { tunedProfile: "openshift-node" } };
  const host = machine(machineBase({ ...smallMachine, architecture: "arm64" }));
  const found = await resolveOnNode({ profiles: profilesOf(spec), host });
  if (found.type !== "resolved") throw new Error("the node cannot use the profile");
  const answers = knownAnswers({ architecture: "arm64", answers: reportedAnswers(found.answers) });
  const expected = expectedProfile(spec, answers);
  expect(expected).toMatchObject({ type: "resolved", unresolved: [] });
});
